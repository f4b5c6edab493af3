import type { ProofMemory } from '@gatepost/token-guard';
import type { Redis } from 'ioredis';

/** Used DPoP proofs in the Redis that the nodes share: of two nodes that see one proof, one takes it (RFC 9449 section 11.1). */
export class RedisProofMemory implements ProofMemory {
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
  ) {}

  async note(proof: string, seconds: number): Promise<boolean> {
    return (await this.redis.set(`${this.prefix}proof:${proof}`, '', 'EX', seconds, 'NX')) === 'OK';
  }
}
