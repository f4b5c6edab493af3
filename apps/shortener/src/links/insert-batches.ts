import { isUnreachable } from '@gatepost/postgres';
import type { NewLink } from './link.repository.ts';

/** Stores links whose codes differ and returns the codes that were free. */
export type InsertLinks = (links: readonly NewLink[]) => Promise<Set<string>>;

interface Waiting {
  readonly link: NewLink;
  readonly resolve: (wasFree: boolean) => void;
  readonly reject: (error: unknown) => void;
}

const AT_ONCE = 3;
const BATCH = 200;

/**
 * Stores links one by one as long as that is quick enough, and those that had to wait together: a burst shares round trips
 * and commits, and nobody waits for a batch to fill. For generated codes only: an alias may have to wait for somebody
 * else's transaction, and must not make others wait with it.
 */
export class InsertBatches {
  private waiting: Waiting[] = [];
  private running = 0;

  constructor(private readonly insertLinks: InsertLinks) {}

  /** False when the code is taken. */
  insert(link: NewLink): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ link, resolve, reject });
      if (this.running < AT_ONCE) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.running += 1;
    // Creates that arrive in the same turn of the event loop are one burst.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) await this.store(this.takeBatch());
    this.running -= 1;
  }

  /** The oldest, no code twice: the second of two has to see what became of the first. */
  private takeBatch(): Waiting[] {
    const codes = new Set<string>();
    const later: Waiting[] = [];
    const batch: Waiting[] = [];
    for (const one of this.waiting) {
      if (batch.length >= BATCH || codes.has(one.link.code)) later.push(one);
      else {
        codes.add(one.link.code);
        batch.push(one);
      }
    }
    this.waiting = later;
    return batch;
  }

  private async store(batch: readonly Waiting[]): Promise<void> {
    try {
      const free = await this.insertLinks(batch.map(({ link }) => link));
      for (const { link, resolve } of batch) resolve(free.has(link.code));
    } catch (error) {
      // Something in one link must not be the others' failure.
      if (batch.length > 1 && !isUnreachable(error))
        for (const one of batch) await this.store([one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}
