import type { HttpIssuer } from './http-issuer.ts';
import type { KeyFetchCause, TokenGuardObserver } from './observer.ts';
import { importVerificationKeys, type VerificationKeys } from './verification-keys.ts';

export interface SigningKeysOptions {
  readonly observe: TokenGuardObserver;
  /** Milliseconds. */
  readonly now: () => number;
  /** The least time between two fetches that nobody but strangers (unknown kids) or failures ask for. */
  readonly cooldownMs: number;
}

const MIN_LIFETIME_MS = 10_000;
const MAX_LIFETIME_MS = 600_000;
const DEFAULT_LIFETIME_MS = 300_000;

/**
 * The issuer's public keys, kept as long as it says (`max-age`, 10 s to 10 min). A little too old they are renewed behind
 * the request, much too old before it. When the issuer is away, the keys at hand stay in use: signatures do not go bad.
 */
export class SigningKeys {
  #keys: VerificationKeys | undefined;
  #fetchedAt = 0;
  #lifetimeMs = DEFAULT_LIFETIME_MS;
  #quietUntil = Number.NEGATIVE_INFINITY;
  #hasFailed = false;
  #fetching: Promise<void> | undefined;
  #generation = 0;

  constructor(
    private readonly issuer: HttpIssuer,
    private readonly options: SigningKeysOptions,
  ) {}

  /** Grows when a key was withdrawn: what it has verified must be verified anew. */
  get generation(): number {
    return this.#generation;
  }

  get size(): number {
    return this.#keys?.size ?? 0;
  }

  get ageSeconds(): number | undefined {
    return this.#keys && (this.options.now() - this.#fetchedAt) / 1000;
  }

  /** The keys, fetched if need be; undefined when there have never been any to fetch. */
  async load(): Promise<VerificationKeys | undefined> {
    if (!this.#keys) await this.#fetch('first');
    else if (this.#isOlderThan(2 * this.#lifetimeMs)) await this.#fetch('stale');
    else this.renewBehind();
    return this.#keys;
  }

  /** Starts a renewal when one is due, and does not wait for it. */
  renewBehind(): void {
    if (this.#keys && this.#isOlderThan(this.#lifetimeMs)) void this.#fetch('stale');
  }

  /**
   * Once more, for a kid that is not among the keys. Strangers can invent kids at will, so this asks the issuer at most
   * once a cool-down. Undefined when it could not be asked: the key may exist.
   */
  async reload(): Promise<VerificationKeys | undefined> {
    await this.#fetch('unknown-key');
    return this.#hasFailed ? undefined : this.#keys;
  }

  #isOlderThan(ms: number): boolean {
    return this.options.now() - this.#fetchedAt > ms;
  }

  /** Single flight, and quiet for a cool-down after a failure or after strangers' kids. */
  #fetch(cause: KeyFetchCause): Promise<void> {
    if (this.#fetching) return this.#fetching;
    if (this.options.now() < this.#quietUntil) return Promise.resolve();
    this.#fetching = this.#fetchNow(cause).finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchNow(cause: KeyFetchCause): Promise<void> {
    let succeeded = false;
    try {
      const { jwks, maxAgeSeconds } = await this.issuer.fetchKeySet();
      const keys = await importVerificationKeys(jwks);
      // An empty set is a fault of the issuer, not the end of all its keys.
      if (keys && keys.size > 0) {
        this.#replace(keys, maxAgeSeconds);
        succeeded = true;
      }
    } catch {
      // Counted below; the keys at hand stay.
      succeeded = false;
    }
    this.#hasFailed = !succeeded;
    if (!succeeded || cause === 'unknown-key')
      this.#quietUntil = this.options.now() + this.options.cooldownMs;
    this.options.observe({ kind: 'keys-fetched', cause, succeeded });
  }

  #replace(keys: VerificationKeys, maxAgeSeconds: number | undefined): void {
    for (const [kid, { fingerprint }] of this.#keys ?? []) {
      if (keys.get(kid)?.fingerprint !== fingerprint) this.#generation += 1;
    }
    this.#keys = keys;
    this.#fetchedAt = this.options.now();
    const lifetimeMs = maxAgeSeconds === undefined ? DEFAULT_LIFETIME_MS : maxAgeSeconds * 1000;
    this.#lifetimeMs = Math.min(Math.max(lifetimeMs, MIN_LIFETIME_MS), MAX_LIFETIME_MS);
  }
}
