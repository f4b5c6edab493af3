import { digestOf } from './digest.ts';
import type { AcceptedProof } from './verify-dpop-proof.ts';

/**
 * The proofs that were used and could be used again (RFC 9449 §11.1). Bounded: when it overflows, the oldest is
 * forgotten and with it every proof that was made no later, so a flood makes old proofs unusable, never replayable.
 */
export class ProofReplays {
  readonly #used = new Map<string, number>();
  #acceptedAfter = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: { capacity: number; memorySeconds: number }) {}

  /** Notes a good proof. False when it was used before, or so old that this cannot be known. `now` in Unix seconds. */
  use(keyThumbprint: string, { proofId, issuedAt }: AcceptedProof, now: number): boolean {
    if (issuedAt <= this.#acceptedAfter) return false;
    const key = digestOf(`${keyThumbprint}.${proofId}`, 'binary').slice(0, 16);
    if (this.#used.has(key)) return false;
    this.#forget(now);
    this.#used.set(key, issuedAt);
    return true;
  }

  get size(): number {
    return this.#used.size;
  }

  #forget(now: number): void {
    for (const [key, issuedAt] of this.#used) {
      const isHarmless = issuedAt < now - this.options.memorySeconds;
      if (!isHarmless && this.#used.size < this.options.capacity) return;
      this.#used.delete(key);
      if (!isHarmless) this.#acceptedAfter = Math.max(this.#acceptedAfter, issuedAt);
    }
  }
}
