/** Cumulative counts by upper bound, in ascending order; the last bound is infinite. */
export type Histogram = readonly { readonly bound: number; readonly count: number }[];

/** A histogram of one series, out of the Prometheus text format. */
export function readHistogram(metrics: string, name: string): Histogram {
  const buckets: { bound: number; count: number }[] = [];
  for (const [, bound, count] of metrics.matchAll(
    new RegExp(`^${name}_bucket\\{le="([^"]+)"[^}]*\\} (\\S+)$`, 'gm'),
  ))
    buckets.push({ bound: bound === '+Inf' ? Infinity : Number(bound), count: Number(count) });
  if (buckets.length === 0) throw new Error(`there is no histogram ${name}`);
  return buckets;
}

/** What came between two readings. */
export function differenceOf(later: Histogram, earlier: Histogram): Histogram {
  return later.map(({ bound, count }, index) => ({
    bound,
    count: count - (earlier[index]?.count ?? 0),
  }));
}

/** A quantile, in proportion within its bucket; of the last bucket nothing but its lower bound is known. */
export function quantileOf(share: number, histogram: Histogram): number {
  const wanted = share * (histogram.at(-1)?.count ?? 0);
  let below = { bound: 0, count: 0 };
  for (const bucket of histogram) {
    if (bucket.count >= wanted && bucket.count > below.count) {
      if (bucket.bound === Infinity) return below.bound;
      const part = (wanted - below.count) / (bucket.count - below.count);
      return below.bound + part * (bucket.bound - below.bound);
    }
    below = bucket;
  }
  return Number.NaN;
}
