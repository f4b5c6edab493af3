import type { BucketReading, Refused } from '@gatepost/limiter-core';
import { Gauge, type Registry } from 'prom-client';
import type { CallerSummary } from './limit-verdict.ts';
import { LogSampler } from './log-sampler.ts';
import {
  type CounterSeries,
  type HistogramSeries,
  QuickCounter,
  QuickHistogram,
} from './quick-metrics.ts';
import { bucketLabel } from './rate-limit-headers.ts';
import { BoundedLabels, type OffenderCount, TopOffenders } from './top-offenders.ts';

/** Where rejections are written down; one line an object. */
export interface RejectionLog {
  warn(fields: object, message: string): void;
}

export type Outcome = 'allowed' | 'refused' | 'denied' | 'listed' | 'open' | 'closed' | 'local';

/** Sub-millisecond: what is promised is 1 ms at p99. */
const FAST_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.00075, 0.001, 0.0015, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
];
const RATIOS = [0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1];
const NEAR_LIMIT = 0.1;

const NAMED_KEYS = 1_000;
const NAMED_OFFENDERS = 50;
/** Refusals within ten minutes that make an offender worth a series of its own. */
const WORTH_A_SERIES = 100;
const OFFENDERS_KEPT = 200;
const OFFENDER_HALF_LIFE_MS = 600_000;
const REJECTIONS_LOGGED_A_SECOND = 20;
const THEN_ONE_IN = 100;

/** What the limiter tells its operators. Labels are bounded whatever callers invent. */
export class LimiterSignals {
  private readonly decisions: QuickCounter;
  private readonly rejected: QuickCounter;
  private readonly nearLimit: QuickCounter;
  private readonly shadowRejected: QuickCounter;
  private readonly fillRatio: QuickHistogram;
  private readonly decisionSeconds: HistogramSeries;
  private readonly storeSeconds: HistogramSeries;
  private readonly storeErrors: CounterSeries;
  private readonly offenders = new TopOffenders(OFFENDERS_KEPT, OFFENDER_HALF_LIFE_MS);
  private readonly keyLabels = new BoundedLabels(NAMED_KEYS);
  private readonly offenderLabels = new BoundedLabels(NAMED_OFFENDERS);
  private readonly sampler = new LogSampler(REJECTIONS_LOGGED_A_SECOND, THEN_ONE_IN);

  constructor(
    registry: Registry,
    private readonly log: RejectionLog,
    shardsAway: () => number = () => 0,
  ) {
    const counter = (name: string, help: string, labels: string[]) =>
      new QuickCounter(name, help, labels, registry);
    const histogram = (name: string, help: string, labels: string[], bounds: number[]) =>
      new QuickHistogram(name, help, { labels, bounds }, registry);
    this.decisions = counter(
      'rate_limit_decisions_total',
      'Requests by what became of them at the limiter: allowed, refused, denied or listed; open, closed or local while the store was away',
      ['outcome', 'tier'],
    );
    this.rejected = counter(
      'rate_limit_rejected_total',
      'Requests refused for a used-up quota. key: configured name, or hash of a frequent offender, or kind of caller',
      ['key', 'tier'],
    );
    this.nearLimit = counter(
      'rate_limit_near_limit_total',
      'Admitted requests that left less than a tenth of a bucket',
      ['tier', 'bucket'],
    );
    this.shadowRejected = counter(
      'rate_limit_shadow_rejected_total',
      'Requests that a rule in shadow mode would have refused',
      ['rule', 'tier'],
    );
    this.fillRatio = histogram(
      'rate_limit_bucket_fill_ratio',
      'Tokens left in proportion to capacity, of the bucket reported with each decision',
      ['tier', 'bucket'],
      RATIOS,
    );
    this.decisionSeconds = histogram(
      'rate_limit_decision_duration_seconds',
      'What the limiter adds to a request: from asking to verdict',
      [],
      FAST_SECONDS,
    ).of();
    this.storeSeconds = histogram(
      'rate_limit_store_duration_seconds',
      'Duration of one call to the store, which decides up to 64 requests',
      [],
      FAST_SECONDS,
    ).of();
    this.storeErrors = counter(
      'rate_limit_store_errors_total',
      'Calls to the store that failed or were not answered in time',
      [],
    ).of();
    new Gauge({
      name: 'rate_limit_store_breaker_open',
      help: 'Nodes of the store that are given up at present',
      registers: [registry],
      aggregator: 'max',
      collect() {
        this.set(shardsAway());
      },
    });
  }

  noteStoreCall(seconds: number, answered: boolean): void {
    this.storeSeconds.observe(seconds);
    if (!answered) this.storeErrors.value++;
  }

  noteOutcome(outcome: Outcome, tier: string, seconds: number): void {
    this.decisions.of(outcome, tier).value++;
    this.decisionSeconds.observe(seconds);
  }

  noteReading(reading: BucketReading, tier: string): void {
    const ratio = reading.tokens / reading.window.capacity;
    const bucket = bucketLabel(reading.policy, reading.window);
    this.fillRatio.of(tier, bucket).observe(ratio);
    if (ratio < NEAR_LIMIT) this.nearLimit.of(tier, bucket).value++;
  }

  noteRejection(caller: CallerSummary, refused: Refused, nowMs: number): void {
    const { kind, label, tier } = caller;
    const often = this.offenders.note(label, kind, tier, nowMs);
    this.rejected.of(this.keyLabelOf(caller, often), tier).value++;
    const leftOut = this.sampler.admit(nowMs);
    if (leftOut === undefined) return;
    const { policy, window } = refused.reported;
    this.log.warn(
      {
        caller: label,
        kind,
        tier,
        bucket: bucketLabel(policy, window),
        waitMs: Math.ceil(refused.waitMs),
        ...(leftOut > 0 ? { leftOut } : {}),
      },
      'rejected: quota used up',
    );
  }

  noteShadowRejection(rule: string, tier: string): void {
    this.shadowRejected.of(rule === '' ? 'tier' : rule, tier).value++;
  }

  topOffenders(nowMs: number): OffenderCount[] {
    return this.offenders.list(nowMs);
  }

  private keyLabelOf({ kind, label }: CallerSummary, often: number): string {
    if (kind === 'key') return this.keyLabels.admit(label) ? label : 'other';
    if (this.offenderLabels.has(label)) return label;
    if (often < WORTH_A_SERIES) return kind;
    return this.offenderLabels.admit(label) ? label : 'other';
  }
}
