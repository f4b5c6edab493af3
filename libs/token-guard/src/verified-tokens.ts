import type { AccessTokenClaims } from './access-token.ts';

interface VerifiedToken {
  readonly claims: AccessTokenClaims;
  /** Of the signing keys at the time. */
  readonly generation: number;
  isInUse: boolean;
}

/**
 * Tokens whose signature and claims were found good, by digest: a token itself is never kept. Bounded; what was used
 * since the last round gets a second chance. Status and proof are not part of it: both are checked on each call.
 */
export class VerifiedTokens {
  readonly #tokens = new Map<string, VerifiedToken>();

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.#tokens.size;
  }

  /** `now` in Unix seconds. A token past its expiry is never found, whatever skew its verification allows. */
  find(digest: string, generation: number, now: number): AccessTokenClaims | undefined {
    const token = this.#tokens.get(digest);
    if (!token) return undefined;
    if (token.generation !== generation || token.claims.expiresAt <= now) {
      this.#tokens.delete(digest);
      return undefined;
    }
    token.isInUse = true;
    return token.claims;
  }

  keep(digest: string, claims: AccessTokenClaims, generation: number): void {
    while (this.#tokens.size >= this.capacity) this.#dropOne();
    this.#tokens.set(digest, { claims, generation, isInUse: false });
  }

  clear(): void {
    this.#tokens.clear();
  }

  #dropOne(): void {
    for (const [digest, token] of this.#tokens) {
      this.#tokens.delete(digest);
      if (!token.isInUse) return;
      token.isInUse = false;
      this.#tokens.set(digest, token);
    }
  }
}
