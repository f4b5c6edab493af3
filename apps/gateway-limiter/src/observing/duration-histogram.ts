import type { Metric } from 'prom-client';

/** Upper bounds in seconds: from a cache hit next door to a service that has given up. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface Series {
  readonly counts: Float64Array;
  sum: number;
}

/**
 * A histogram with one label whose series are plain arrays. prom-client's own hashes the labels on each observation,
 * which would cost as much as everything else the gateway notes of a request.
 */
export class DurationHistogram {
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  private readonly series = new Map<string, Series>();

  constructor(
    readonly name: string,
    readonly help: string,
    private readonly label: string,
  ) {}

  observe(value: string, seconds: number): void {
    let series = this.series.get(value);
    if (!series) {
      series = { counts: new Float64Array(BOUNDS.length + 1), sum: 0 };
      this.series.set(value, series);
    }
    let slot = 0;
    while (slot < BOUNDS.length && seconds > (BOUNDS[slot] as number)) slot++;
    series.counts[slot] = (series.counts[slot] as number) + 1;
    series.sum += seconds;
  }

  /** As prom-client's registry and its cluster aggregation ask for it. */
  async get() {
    const values: { metricName: string; labels: Record<string, string | number>; value: number }[] =
      [];
    for (const [value, { counts, sum }] of this.series) {
      const labels = { [this.label]: value };
      let total = 0;
      counts.forEach((count, slot) => {
        total += count;
        const le = BOUNDS[slot] ?? '+Inf';
        values.push({ metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: total });
      });
      values.push({ metricName: `${this.name}_sum`, labels, value: sum });
      values.push({ metricName: `${this.name}_count`, labels, value: total });
    }
    return {
      name: this.name,
      help: this.help,
      type: this.type,
      values,
      aggregator: this.aggregator,
    };
  }

  reset(): void {
    this.series.clear();
  }

  asMetric(): Metric {
    return this as unknown as Metric;
  }
}
