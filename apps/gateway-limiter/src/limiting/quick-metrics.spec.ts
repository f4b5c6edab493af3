import { Counter, Histogram, Registry } from 'prom-client';
import { QuickCounter, QuickHistogram } from './quick-metrics.ts';

describe('quick metrics', () => {
  it('read out exactly as those of prom-client', async () => {
    const [ours, theirs] = [new Registry(), new Registry()];
    for (const registry of [ours, theirs]) registry.setDefaultLabels({ service: 's' });
    const bounds = [0.1, 0.5, 1];
    const counter = new QuickCounter('c_total', 'A counter', ['a', 'b'], ours);
    const histogram = new QuickHistogram(
      'h_seconds',
      'A histogram',
      { labels: ['a'], bounds },
      ours,
    );
    const registers = [theirs];
    const otherCounter = new Counter({
      name: 'c_total',
      help: 'A counter',
      labelNames: ['a', 'b'],
      registers,
    });
    const otherHistogram = new Histogram({
      name: 'h_seconds',
      help: 'A histogram',
      labelNames: ['a'],
      buckets: bounds,
      registers,
    });
    for (const value of [0.05, 0.1, 0.3, 0.75, 1, 7]) {
      counter.of('x', 'y"').value++;
      otherCounter.inc({ a: 'x', b: 'y"' });
      histogram.of('z').observe(value);
      otherHistogram.observe({ a: 'z' }, value);
    }
    // The order of labels means nothing, and prom-client's own varies.
    const linesOf = async (registry: Registry) =>
      (await registry.metrics())
        .split('\n')
        .map((line) =>
          line.replace(
            /\{(.*)\}/,
            (_all, labels: string) => `{${labels.split(',').sort().join()}}`,
          ),
        )
        .sort();
    expect(await linesOf(ours)).toEqual(await linesOf(theirs));
  });

  it('give the same series for the same labels', () => {
    const counter = new QuickCounter('c_total', '', ['a', 'b'], new Registry());
    expect(counter.of('x', 'y')).toBe(counter.of('x', 'y'));
    expect(counter.of('x', 'y')).not.toBe(counter.of('xy', ''));
    expect(counter.size).toBe(2);
  });
});
