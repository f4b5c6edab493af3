import { Counter, Gauge, Registry } from 'prom-client';
import { DurationHistogram } from './duration-histogram.ts';
import { AllMetrics } from './worker-metrics.ts';

async function worker(count: number, open: number, seconds: number[]) {
  const metrics = new Registry();
  const registers = [metrics];
  new Counter({ name: 'requests_total', help: 'r', labelNames: ['route'], registers }).inc(
    { route: 'a' },
    count,
  );
  new Gauge({ name: 'open', help: 'o', registers }).set(open);
  const histogram = new DurationHistogram('duration_seconds', 'd', 'route');
  metrics.registerMetric(histogram.asMetric());
  for (const each of seconds) histogram.observe('a', each);
  return metrics.getMetricsAsJSON();
}

const lines = async (all: AllMetrics) =>
  (await all.toText())
    .split('\n')
    .filter((line) => /^(requests|open|duration_.*(Inf|sum|count))/.test(line));

describe('the metrics of all workers', () => {
  it('are added up, histograms too', async () => {
    const all = new AllMetrics();
    all.note(1, await worker(3, 1, [0.5]));
    all.note(2, await worker(4, 2, [0.25, 2]));
    expect(await lines(all)).toEqual([
      'requests_total{route="a"} 7',
      'open 3',
      'duration_seconds_bucket{le="+Inf",route="a"} 3',
      'duration_seconds_sum{route="a"} 2.75',
      'duration_seconds_count{route="a"} 3',
    ]);
  });

  it('keep what a worker had counted when it ends, but not its gauges', async () => {
    const all = new AllMetrics();
    all.note(1, await worker(3, 1, [0.5]));
    await all.retire(1);
    all.note(2, await worker(4, 2, []));
    await all.retire(9);
    expect(await lines(all)).toEqual([
      'requests_total{route="a"} 7',
      'open 2',
      'duration_seconds_bucket{le="+Inf",route="a"} 1',
      'duration_seconds_sum{route="a"} 0.5',
      'duration_seconds_count{route="a"} 1',
    ]);
  });
});
