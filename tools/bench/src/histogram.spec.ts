import { differenceOf, quantileOf, readHistogram } from './histogram.ts';

const text = `# TYPE wait_seconds histogram
wait_seconds_bucket{le="0.001"} 50
wait_seconds_bucket{le="0.002",service="x"} 90
wait_seconds_bucket{le="+Inf"} 100
wait_seconds_sum 1
wait_seconds_count 100
`;

describe('histogram', () => {
  it('is read from the text format', () => {
    expect(readHistogram(text, 'wait_seconds')).toEqual([
      { bound: 0.001, count: 50 },
      { bound: 0.002, count: 90 },
      { bound: Infinity, count: 100 },
    ]);
    expect(() => readHistogram(text, 'other')).toThrow('no histogram');
  });

  it('gives quantiles in proportion, and the lower bound where nothing is above', () => {
    const histogram = readHistogram(text, 'wait_seconds');
    expect(quantileOf(0.25, histogram)).toBeCloseTo(0.0005);
    expect(quantileOf(0.7, histogram)).toBeCloseTo(0.0015);
    expect(quantileOf(0.99, histogram)).toBe(0.002);
  });

  it('tells what came between two readings', () => {
    const histogram = readHistogram(text, 'wait_seconds');
    const before = histogram.map(({ bound }) => ({ bound, count: 50 }));
    expect(differenceOf(histogram, before).map(({ count }) => count)).toEqual([0, 40, 50]);
    expect(quantileOf(0.8, differenceOf(histogram, before))).toBeCloseTo(0.002);
  });

  it('of nothing is not a number', () => {
    expect(quantileOf(0.5, [{ bound: Infinity, count: 0 }])).toBeNaN();
  });
});
