import {
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  sign as signBytes,
} from 'node:crypto';
import { promisify } from 'node:util';
import { ExternalSigningKey } from 'oidc-provider';
import type { SigningKey } from '../keys/signing-keys.ts';

const signElsewhere = promisify(signBytes);

/**
 * A signing key that the library asks for signatures instead of holding it. ECDSA costs about 30 µs and is done on the spot, at half
 * of what the way through WebCrypto costs; RSA takes ten times as long and is done on another thread.
 */
export class LocalSigningKey extends ExternalSigningKey {
  private readonly privateKey: KeyObject;
  private readonly publicKey: KeyObject;
  private readonly isFast: boolean;
  /** Encoded JOSE headers by type. */
  private readonly heads = new Map<string, string>();

  constructor({ kid, alg, privateJwk }: Pick<SigningKey, 'kid' | 'alg' | 'privateJwk'>) {
    super();
    Object.assign(this, { kid, alg });
    this.privateKey = createPrivateKey({ key: privateJwk as JsonWebKey, format: 'jwk' });
    this.publicKey = createPublicKey(this.privateKey);
    this.isFast = alg === 'ES256';
  }

  /** A compact JWS of these claims. */
  async signJwt(type: string, claims: Readonly<Record<string, unknown>>): Promise<string> {
    let head = this.heads.get(type);
    if (!head) {
      head = encode({ alg: this.alg, typ: type, kid: this.kid });
      this.heads.set(type, head);
    }
    const input = `${head}.${encode(claims)}`;
    const signature = await this.sign(Buffer.from(input));
    return `${input}.${Buffer.from(signature).toString('base64url')}`;
  }

  override keyObject(): KeyObject {
    return this.publicKey;
  }

  override sign(data: Uint8Array): Uint8Array | Promise<Uint8Array> {
    // JWS wants r and s side by side (RFC 7518 section 3.4), not their ASN.1 form.
    const key = { key: this.privateKey, dsaEncoding: 'ieee-p1363' as const };
    return this.isFast ? signBytes('sha256', data, key) : signElsewhere('sha256', data, key);
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
