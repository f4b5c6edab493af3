import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { SigningAlgorithm } from './signing-keys.ts';

export interface GeneratedKey {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly privateJwk: JWK;
  readonly publicJwk: JWK;
}

/** A fresh key whose id is its RFC 7638 thumbprint. */
export async function generateSigningKey(alg: SigningAlgorithm): Promise<GeneratedKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, {
    extractable: true,
    ...(alg === 'RS256' ? { modulusLength: 2048 } : {}),
  });
  const [privatePart, publicPart] = await Promise.all([
    exportJWK(privateKey),
    exportJWK(publicKey),
  ]);
  const kid = await calculateJwkThumbprint(publicPart);
  const members = { kid, alg, use: 'sig' };
  return {
    kid,
    alg,
    privateJwk: { ...privatePart, ...members },
    publicJwk: { ...publicPart, ...members },
  };
}
