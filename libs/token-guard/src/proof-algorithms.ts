import type { SignatureAlgorithm } from './verification-keys.ts';

/** What a client may sign its DPoP proofs with, unless a service says otherwise; named in challenges. */
export const DEFAULT_PROOF_ALGORITHMS: readonly SignatureAlgorithm[] = [
  'ES256',
  'ES384',
  'PS256',
  'RS256',
  'EdDSA',
  'Ed25519',
];
