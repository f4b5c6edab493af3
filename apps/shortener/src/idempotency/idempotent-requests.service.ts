import type { PoolClient } from '@gatepost/postgres';
import { DomainError } from '@gatepost/problem-details';
import type { Logger } from '@gatepost/service-kit';
import { orStoreUnavailable } from '../links/store-outage.ts';
import type { Answer, IdempotencyRepository } from './idempotency.repository.ts';
import { fingerprintOf, parseIdempotencyKey } from './idempotency-key.ts';

export interface RepeatableRequest {
  /** The Idempotency-Key field as it came; undefined: the request is not repeatable. */
  readonly keyField: string | undefined;
  /** Whose key it is: keys of two callers have nothing to do with each other. */
  readonly caller: string;
  readonly route: string;
  readonly body: unknown;
}

const SWEEP_EVERY_MS = 10 * 60 * 1_000;
const SWEEP_BATCH = 10_000;

/** Makes POST safe to repeat: the same key with the same body gets the same answer for 24 hours. */
export class IdempotentRequests {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly answers: IdempotencyRepository,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.sweep(), SWEEP_EVERY_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** `work` gets the transaction to do its writing in; without a key there is none. A failure is not kept. */
  async perform(
    { keyField, caller, route, body }: RepeatableRequest,
    work: (transaction: PoolClient | undefined) => Promise<Answer>,
  ): Promise<Answer> {
    if (keyField === undefined) return work(undefined);
    const key = parseIdempotencyKey(keyField);
    if (key === undefined)
      throw new DomainError(
        'invalid-request',
        'Idempotency-Key must be 1 to 255 visible ASCII characters, bare or as a quoted string.',
      );
    const fingerprint = fingerprintOf(route, body);
    const outcome = await orStoreUnavailable(() =>
      this.answers.perform({ caller, key, fingerprint }, work),
    );
    switch (outcome.kind) {
      case 'answered':
        return outcome.answer;
      case 'running':
        throw new DomainError(
          'request-in-progress',
          'A request with this Idempotency-Key is being worked on. Ask again in a moment.',
          { headers: { 'retry-after': '1' } },
        );
      case 'other-request':
        throw new DomainError(
          'idempotency-key-reused',
          'This Idempotency-Key was used within the last 24 hours for another request.',
        );
    }
  }

  private async sweep(): Promise<void> {
    try {
      while ((await this.answers.removeOld(SWEEP_BATCH)) === SWEEP_BATCH);
    } catch (error) {
      this.logger.debug({ err: error }, 'old idempotent answers stay until the next sweep');
    }
  }
}
