import type { Metric, Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;
interface Sample {
  readonly metricName?: string;
  readonly labels: Labels;
  readonly value: number;
}

/**
 * Metrics for the hot path. prom-client's own sort and join the labels at every count, which costs about as much as a
 * decision; here a series is looked up once and counting is an addition. They are read out like any other metric.
 */
abstract class QuickMetric<Series> {
  private readonly series = new Map<string, { labels: Labels; series: Series }>();
  readonly aggregator = 'sum';
  readonly collect = undefined;

  constructor(
    readonly name: string,
    readonly help: string,
    private readonly labelNames: readonly string[],
    registry: Registry,
  ) {
    registry.registerMetric(this as unknown as Metric);
  }

  abstract readonly type: 'counter' | 'histogram';

  /** The series with these label values, in the order of the label names. Keep it where it is used often. */
  of(...values: string[]): Series {
    const key = values.join('\u001f');
    let entry = this.series.get(key);
    if (!entry) {
      const labels = Object.fromEntries(
        this.labelNames.map((name, index) => [name, values[index] ?? '']),
      );
      entry = { labels, series: this.start() };
      this.series.set(key, entry);
    }
    return entry.series;
  }

  get size(): number {
    return this.series.size;
  }

  async get() {
    const values: Sample[] = [];
    for (const { labels, series } of this.series.values())
      values.push(...this.read(series, labels));
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values };
  }

  reset(): void {
    this.series.clear();
  }

  protected abstract start(): Series;
  protected abstract read(series: Series, labels: Labels): Sample[];
}

export interface CounterSeries {
  value: number;
}

export class QuickCounter extends QuickMetric<CounterSeries> {
  readonly type = 'counter';

  protected start(): CounterSeries {
    return { value: 0 };
  }

  protected read({ value }: CounterSeries, labels: Labels): Sample[] {
    return [{ labels, value }];
  }
}

export class HistogramSeries {
  readonly counts: Float64Array;
  sum = 0;
  count = 0;

  constructor(private readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length);
  }

  observe(value: number): void {
    this.sum += value;
    this.count++;
    for (let index = 0; index < this.bounds.length; index++) {
      if (value > (this.bounds[index] as number)) continue;
      (this.counts[index] as number)++;
      return;
    }
  }
}

export class QuickHistogram extends QuickMetric<HistogramSeries> {
  readonly type = 'histogram';

  private readonly bounds: readonly number[];

  constructor(
    name: string,
    help: string,
    shape: { readonly labels: readonly string[]; readonly bounds: readonly number[] },
    registry: Registry,
  ) {
    super(name, help, shape.labels, registry);
    this.bounds = shape.bounds;
  }

  protected start(): HistogramSeries {
    return new HistogramSeries(this.bounds);
  }

  protected read(series: HistogramSeries, labels: Labels): Sample[] {
    const samples: Sample[] = [];
    let below = 0;
    this.bounds.forEach((bound, index) => {
      below += series.counts[index] as number;
      const metricName = `${this.name}_bucket`;
      samples.push({ metricName, labels: { ...labels, le: String(bound) }, value: below });
    });
    samples.push(
      { metricName: `${this.name}_bucket`, labels: { ...labels, le: '+Inf' }, value: series.count },
      { metricName: `${this.name}_sum`, labels, value: series.sum },
      { metricName: `${this.name}_count`, labels, value: series.count },
    );
    return samples;
  }
}
