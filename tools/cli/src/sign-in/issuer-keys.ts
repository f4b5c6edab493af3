import { type CryptoKey, importJWK, type JWK } from 'jose';
import { CommandFailed } from '../command-failed.ts';
import { ExitCode } from '../exit-code.ts';
import { ID_TOKEN_ALGORITHMS, type IdTokenKey } from './id-token-checks.ts';

const MAX_LIFETIME_SECONDS = 300;
const TIMEOUT_MS = 10_000;

/** The issuer's signing keys, kept for a short time and fetched once more when a kid is not among them. */
export class IssuerKeys {
  #keys: Map<string, IdTokenKey> | undefined;
  #goodUntil = 0;

  constructor(
    private readonly options: {
      readonly jwksUri: string;
      readonly fetch: typeof fetch;
      /** Milliseconds. */
      readonly now: () => number;
    },
  ) {}

  async find(kid: string): Promise<IdTokenKey | undefined> {
    const { now } = this.options;
    const keys = this.#keys && now() < this.#goodUntil ? this.#keys : await this.#fetch();
    return keys.get(kid) ?? (await this.#fetch()).get(kid);
  }

  async #fetch(): Promise<Map<string, IdTokenKey>> {
    const { jwksUri, now } = this.options;
    const { document, maxAgeSeconds } = await this.#request(jwksUri);
    const jwks = (document as { keys?: unknown } | null)?.keys;
    if (!Array.isArray(jwks)) throw unusable(jwksUri);
    const keys = new Map<string, IdTokenKey>();
    for (const jwk of jwks as JWK[]) {
      const key = await toKey(jwk);
      if (key && jwk.kid && !keys.has(jwk.kid)) keys.set(jwk.kid, key);
    }
    this.#keys = keys;
    this.#goodUntil = now() + Math.min(maxAgeSeconds, MAX_LIFETIME_SECONDS) * 1000;
    return keys;
  }

  async #request(address: string): Promise<{ document: unknown; maxAgeSeconds: number }> {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await this.options.fetch(address, { redirect: 'error', signal });
      if (response.status !== 200) throw new Error(`status ${response.status}`);
      const [, seconds] =
        /\bmax-age=(\d+)/i.exec(response.headers.get('cache-control') ?? '') ?? [];
      return {
        document: await response.json(),
        maxAgeSeconds: seconds ? Number(seconds) : MAX_LIFETIME_SECONDS,
      };
    } catch (cause) {
      throw unusable(address, cause);
    }
  }
}

function unusable(address: string, cause?: unknown): CommandFailed {
  return new CommandFailed(`The issuer's keys cannot be had from ${address}.`, {
    exitCode: ExitCode.unavailable,
    cause,
  });
}

/** One key, one algorithm: its own `alg`, or the usual one of its kind. Anything but a public signing key is passed over. */
async function toKey(jwk: JWK): Promise<IdTokenKey | undefined> {
  if (typeof jwk !== 'object' || jwk === null) return undefined;
  if (jwk.kty === 'oct' || 'd' in jwk || (jwk.use !== undefined && jwk.use !== 'sig'))
    return undefined;
  const algorithm = jwk.alg ?? (jwk.kty === 'RSA' ? 'RS256' : 'ES256');
  if (!(ID_TOKEN_ALGORITHMS as readonly string[]).includes(algorithm)) return undefined;
  try {
    return { algorithm, key: (await importJWK(jwk, algorithm)) as CryptoKey };
  } catch {
    return undefined;
  }
}
