import type { Registry } from '@gatepost/service-kit';
import { Counter, Gauge, Histogram } from 'prom-client';

/** What an operator sees of the worker. */
export class WorkerMetrics {
  readonly events: Counter<'result'>;
  readonly batches: Counter;
  readonly deadLetters: Counter<'reason'>;
  readonly lost: Counter;
  readonly restarts: Counter;
  readonly lag: Gauge<'partition'>;
  readonly rollupSeconds: Histogram;

  constructor(metrics: Registry) {
    const registers = [metrics];
    this.events = new Counter({
      name: 'click_worker_events_total',
      help: 'Click events taken from Kafka, by what became of them',
      labelNames: ['result'],
      registers,
    });
    for (const result of ['counted', 'duplicate', 'dead']) this.events.inc({ result }, 0);
    this.batches = new Counter({
      name: 'click_worker_batches_total',
      help: 'Batches counted, one transaction each',
      registers,
    });
    this.deadLetters = new Counter({
      name: 'click_worker_dead_letters_total',
      help: 'Messages that are no click events, by the first thing wrong with them',
      labelNames: ['reason'],
      registers,
    });
    this.lost = new Counter({
      name: 'click_worker_lost_events_total',
      help: 'Messages that the broker had deleted before they were counted',
      registers,
    });
    this.restarts = new Counter({
      name: 'click_worker_restarts_total',
      help: 'How often consuming broke off and was begun again',
      registers,
    });
    this.lag = new Gauge({
      name: 'click_worker_lag_events',
      help: 'Messages of a partition that are not counted yet, as of its last batch',
      labelNames: ['partition'],
      registers,
    });
    this.rollupSeconds = new Histogram({
      name: 'click_rollup_seconds',
      help: 'Time to count a batch, transaction included',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    });
  }
}
