import type { Logger, Registry } from '@gatepost/service-kit';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Click } from './click.ts';
import { ClickMetrics } from './click-metrics.ts';
import { ClickOutbox, type DeliverClicks } from './click-outbox.ts';
import { ClickSink } from './click-sink.ts';
import type { ClicksEnv } from './clicks-environment.ts';
import { EventIds } from './event-id.ts';

/** What delivers the batches of a sink. Two exist: Kafka, and the rollup in process. */
export interface ClickDelivery {
  readonly deliver: DeliverClicks;
  close(): Promise<void>;
}

export interface ClickSinkOptions {
  readonly env: Pick<ClicksEnv, 'CLICK_BUFFER_EVENTS'>;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** How long shutting down waits for a receiver that is away, ms. */
  readonly flushLimitMs?: number;
}

/**
 * A click that a killed process loses is younger than this and the delivery before and after. We promise 50 ms; a delivery
 * takes 2 to 5, and costs half a millisecond of CPU whatever it carries.
 */
const LINGER_MS = 35;
/** A Kafka batch may be 1 MiB as brokers are shipped; headers and quotes come on top of what is weighed. */
const BATCH_LIMITS = { events: 2_000, bytes: 400 * 1024 };
/** What a full buffer of ordinary clicks weighs; long user agents cannot make it grow. */
const BYTES_PER_CLICK = 640;

/** A sink that keeps clicks in memory for a moment and delivers them in batches, and once more when the app closes. */
export class OutboxClickSink extends ClickSink implements OnApplicationShutdown {
  private readonly outbox: ClickOutbox;

  constructor(
    private readonly delivery: ClickDelivery,
    { env, logger, metrics, flushLimitMs = 5_000 }: ClickSinkOptions,
  ) {
    super();
    const observer = new ClickMetrics(metrics, logger);
    this.outbox = new ClickOutbox({
      deliver: (clicks) => delivery.deliver(clicks),
      ids: new EventIds(),
      observer,
      buffer: {
        events: env.CLICK_BUFFER_EVENTS,
        bytes: env.CLICK_BUFFER_EVENTS * BYTES_PER_CLICK,
      },
      batch: BATCH_LIMITS,
      lingerMs: LINGER_MS,
      flushLimitMs,
      maxPauseMs: 2_000,
    });
    observer.watch(metrics, this.outbox);
  }

  override record(click: Click): void {
    this.outbox.record(click);
  }

  override flush(): Promise<void> {
    return this.outbox.flush();
  }

  /** Nest calls this once the last request is answered: no click comes after it. */
  async onApplicationShutdown(): Promise<void> {
    await this.outbox.close();
    await this.delivery.close();
  }
}
