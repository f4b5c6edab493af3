import {
  beginAnewAt,
  type FetchedBatch,
  type Placement,
  type Position,
  placeBatch,
} from './batch-position.ts';

const at = (next: bigint): Position => ({ stored: next, next });
const batch = (
  fetchedOffset: bigint,
  firstOffset: bigint,
  lastOffset: bigint,
  highWatermark = 1_000n,
): FetchedBatch => ({ fetchedOffset, firstOffset, lastOffset, highWatermark });

describe('placeBatch', () => {
  it.each<[string, Position, FetchedBatch, Placement]>([
    ['counts what comes next', at(100n), batch(100n, 100n, 149n), { kind: 'count', from: 100n }],
    [
      'counts the rest of a redelivered batch',
      at(120n),
      batch(100n, 100n, 149n),
      { kind: 'count', from: 120n },
    ],
    [
      'goes on from where it is when all was counted',
      at(150n),
      batch(100n, 100n, 149n),
      { kind: 'skip' },
    ],
    ['sees a gap when Kafka began too late', at(100n), batch(110n, 110n, 149n), { kind: 'gap' }],
    [
      'counts what follows a hole in the offsets',
      at(100n),
      batch(100n, 110n, 149n),
      { kind: 'count', from: 100n },
    ],
    [
      'counts from the beginning where nothing was counted',
      { stored: undefined, next: 5n },
      batch(5n, 5n, 9n),
      { kind: 'count', from: 5n },
    ],
    [
      'sees a gap when Kafka began too late and nothing was counted',
      { stored: undefined, next: 5n },
      batch(7n, 7n, 9n),
      { kind: 'gap' },
    ],
    [
      'doubts a log that is shorter than what was counted',
      at(100n),
      batch(0n, 0n, 49n, 50n),
      { kind: 'doubt' },
    ],
    [
      'counts it from its beginning once the doubt is settled',
      { stored: 100n, next: 0n },
      batch(0n, 0n, 49n, 50n),
      { kind: 'count', from: 0n },
    ],
  ])('%s', (_what, position, fetched, placement) => {
    expect(placeBatch(position, fetched)).toEqual(placement);
  });
});

describe('beginAnewAt', () => {
  const minute = 60_000;

  it.each([
    ['a moment ago', 0, -54],
    ['half an hour ago', -30, -54],
    ['three hours ago, when the ids are forgotten', -180, -180],
  ])('after a count %s', (_what, countedMinutes, expectedMinutes) => {
    const now = Date.parse('2026-11-20T12:00:00Z');
    expect(beginAnewAt(now + countedMinutes * minute, now)).toBe(now + expectedMinutes * minute);
  });
});
