import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ENV } from '../app.tokens.ts';
import type { AuthEnv } from '../env.ts';
import type { StatusPlace } from '../store/status-place.ts';
import { permutation } from './permutation.ts';
import { type Lease, StatusListsRepository } from './status-lists.repository.ts';

/** A list takes tokens for this long at most, so that it can be dropped soon after. */
const OPEN_SECONDS = 600;
/** Room for the skew of verifiers. */
const DROP_MARGIN_SECONDS = 60;
const SMALLEST_LEASE = 32;
const LARGEST_LEASE = 4096;

/** Hands out positions of the status list: one database round trip for a block, none for the tokens of it. */
@Injectable()
export class StatusIndexes {
  private lease: Lease | undefined;
  private permute = permutation(0n);
  private next = 0;
  private size = SMALLEST_LEASE;
  private leasing: Promise<void> | undefined;

  constructor(
    private readonly lists: StatusListsRepository,
    @Inject(ENV) private readonly env: Pick<AuthEnv, 'ACCESS_TOKEN_TTL_S'>,
  ) {}

  /** A position that no other token has or will have. */
  async take(now = new Date()): Promise<StatusPlace> {
    for (;;) {
      const { lease } = this;
      if (lease && this.next < lease.to && lease.closesAt > now)
        return { listId: lease.listId, position: this.permute(this.next++) };
      // One request leases; those beside it wait for the same block.
      this.leasing ??= this.renew(now).finally(() => {
        this.leasing = undefined;
      });
      await this.leasing;
    }
  }

  private async renew(now: Date): Promise<void> {
    // A block that was used up before its list closed was too small for the load.
    if (this.lease && this.lease.closesAt > now) this.size = Math.min(this.size * 2, LARGEST_LEASE);
    else this.size = Math.max(Math.floor(this.size / 2), SMALLEST_LEASE);
    const lease =
      (await this.lists.lease(this.size, now)) ??
      (await this.openList(now).then(() => this.lists.lease(this.size, now)));
    if (!lease) return;
    this.next = lease.from;
    this.permute = permutation(lease.seed);
    this.lease = lease;
  }

  private async openList(now: Date): Promise<void> {
    const closesAt = new Date(now.getTime() + OPEN_SECONDS * 1000);
    await this.lists.open({
      id: randomBytes(9).toString('base64url'),
      seed: randomBytes(8).readBigInt64BE(),
      openedAt: now,
      closesAt,
      dropAt: new Date(
        closesAt.getTime() + (this.env.ACCESS_TOKEN_TTL_S + DROP_MARGIN_SECONDS) * 1000,
      ),
    });
  }
}
