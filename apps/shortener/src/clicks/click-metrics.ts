import type { Logger, Registry } from '@gatepost/service-kit';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { DropReason, OutboxObserver } from './click-outbox.ts';

/** What an operator sees of the clicks that leave this process. */
export class ClickMetrics implements OutboxObserver {
  private readonly droppedTotal: Counter<'reason'>;
  private readonly batchesTotal: Counter<'result'>;
  private readonly deliveredTotal: Counter;
  private readonly deliverySeconds: Histogram;
  private isFailing = false;

  constructor(
    metrics: Registry,
    private readonly logger: Logger,
  ) {
    const registers = [metrics];
    this.droppedTotal = new Counter({
      name: 'click_events_dropped_total',
      help: 'Click events given up before delivery',
      labelNames: ['reason'],
      registers,
    });
    for (const reason of ['buffer_full', 'refused', 'shutdown'])
      this.droppedTotal.inc({ reason }, 0);
    this.batchesTotal = new Counter({
      name: 'click_batches_total',
      help: 'Batches of click events, by result',
      labelNames: ['result'],
      registers,
    });
    this.deliveredTotal = new Counter({
      name: 'click_events_delivered_total',
      help: 'Click events the receiver acknowledged',
      registers,
    });
    this.deliverySeconds = new Histogram({
      name: 'click_delivery_seconds',
      help: 'Time to deliver a batch of click events',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    });
  }

  /** Read when scraped, so that a redirect pays for no metric. */
  watch(metrics: Registry, outbox: { readonly recorded: number; readonly pending: number }): void {
    new Counter({
      name: 'click_events_recorded_total',
      help: 'Click events recorded by redirects',
      registers: [metrics],
      collect() {
        this.reset();
        this.inc(outbox.recorded);
      },
    });
    new Gauge({
      name: 'click_events_pending',
      help: 'Click events that wait for delivery',
      registers: [metrics],
      collect() {
        this.set(outbox.pending);
      },
    });
  }

  dropped(reason: DropReason, clicks: number): void {
    this.droppedTotal.inc({ reason }, clicks);
  }

  delivered(clicks: number, seconds: number): void {
    this.batchesTotal.inc({ result: 'delivered' });
    this.deliveredTotal.inc(clicks);
    this.deliverySeconds.observe(seconds);
    if (this.isFailing) this.logger.info('click events are delivered again');
    this.isFailing = false;
  }

  failed(error: unknown): void {
    this.batchesTotal.inc({ result: 'failed' });
    if (!this.isFailing) this.logger.warn({ err: error }, 'click events cannot be delivered');
    this.isFailing = true;
  }
}
