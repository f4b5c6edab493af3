import { storeTime } from './store-time.ts';

/** Readings of a clock that is 1,000 ms ahead, on ways of different length. */
const READINGS = [
  { sentMs: 0, receivedMs: 10, storeMs: 1_001 },
  { sentMs: 100, receivedMs: 102, storeMs: 1_101 },
  { sentMs: 200, receivedMs: 240, storeMs: 1_239 },
];

describe('the store’s time', () => {
  it('is known as exactly as the best readings allow, and lies between the bounds', () => {
    const time = storeTime(READINGS);
    expect(time?.earliest(500)).toBe(1_499);
    expect(time?.latest(500)).toBe(1_501);
  });

  it('is unknown when the clock was set meanwhile, or nobody looked', () => {
    expect(storeTime([...READINGS, { sentMs: 300, receivedMs: 302, storeMs: 9_000 }])).toBe(
      undefined,
    );
    expect(storeTime([])).toBe(undefined);
  });
});
