import type { BucketStore } from './bucket-store.ts';
import { type BucketDraw, type Decision, wholeTokens } from './decision.ts';
import { definePolicy, type Policy } from './policy.ts';

/** A store under test with a clock that the suite turns. */
export interface StoreUnderTest {
  readonly store: BucketStore;
  /** Sets the store's clock, µs since 1970, whole. */
  setTime(nowUs: number): Promise<void> | void;
  close(): Promise<void> | void;
}

const SECOND = 1_000_000;
const perMinute = definePolicy('', { minute: { limit: 60, burst: 3 } });
const threeWindows = definePolicy('', {
  second: { limit: 3 },
  minute: { limit: 10 },
  day: { limit: 100 },
});

/** What every bucket store must do. `startUs` is where the clock stands when a case begins. */
export function bucketStoreContract(open: (startUs: number) => Promise<StoreUnderTest>): void {
  // An hour ahead of the machine's clock: a store that expires keys by real time must not meet these.
  const startUs = (Date.now() + 3_600_000) * 1_000;
  let tested: StoreUnderTest;
  let serial = 0;
  let nowUs = startUs;

  beforeEach(async () => {
    nowUs = startUs;
    tested = await open(startUs);
  });
  afterEach(() => tested.close());

  const freshKey = () => `contract:${startUs}:${++serial}`;
  const pass = async (us: number) => {
    nowUs += us;
    await tested.setTime(nowUs);
  };
  const take = async (...draws: BucketDraw[]): Promise<Decision> =>
    (await tested.store.take([draws]))[0] as Decision;
  const from = (key: string, policy: Policy, cost = 1): BucketDraw => ({ key, policy, cost });
  const left = async (key: string, policy: Policy) =>
    wholeTokens((await take(from(key, policy, 0))).reported);
  const drain = async (key: string, policy: Policy, times: number) => {
    for (let drawn = 0; drawn < times; drawn++)
      expect((await take(from(key, policy))).kind).toBe('allowed');
  };

  it('admits a burst up to the capacity and refuses the next', async () => {
    const key = freshKey();
    await drain(key, perMinute, 3);
    expect((await take(from(key, perMinute))).kind).toBe('refused');
  });

  it('refills without steps and admits exactly when the wait is over', async () => {
    const key = freshKey();
    await drain(key, perMinute, 3);
    await pass(400_000);
    const refused = await take(from(key, perMinute));
    expect(refused.kind === 'refused' && refused.waitMs).toBeCloseTo(600, 6);
    await pass(599_000);
    expect((await take(from(key, perMinute))).kind).toBe('refused');
    await pass(1_000);
    expect((await take(from(key, perMinute))).kind).toBe('allowed');
  });

  it('never holds more than the capacity, however long the idle time', async () => {
    const key = freshKey();
    await drain(key, perMinute, 3);
    await pass(365 * 86_400 * SECOND);
    await drain(key, perMinute, 3);
    expect((await take(from(key, perMinute))).kind).toBe('refused');
  });

  it('draws from no window when one of them refuses', async () => {
    const key = freshKey();
    await drain(key, threeWindows, 3);
    expect((await take(from(key, threeWindows))).kind).toBe('refused');
    const day = definePolicy('', { day: { limit: 100 } });
    expect(await left(key, day)).toBe(97);
  });

  it('draws from no bucket when another bucket of the request refuses', async () => {
    const [full, empty] = [freshKey(), freshKey()];
    await drain(empty, perMinute, 3);
    expect((await take(from(full, perMinute), from(empty, perMinute))).kind).toBe('refused');
    expect(await left(full, perMinute)).toBe(3);
    expect((await take(from(full, perMinute), from(freshKey(), perMinute))).kind).toBe('allowed');
    expect(await left(full, perMinute)).toBe(2);
  });

  it('decides the requests of one call in order, the same caller twice included', async () => {
    const key = freshKey();
    const decisions = await tested.store.take([
      [from(key, perMinute)],
      [from(key, perMinute, 3)],
      [from(freshKey(), perMinute)],
      [from(key, perMinute)],
      [from(key, perMinute)],
      [from(key, perMinute)],
    ]);
    expect(decisions.map(({ kind }) => kind)).toEqual([
      'allowed',
      'refused',
      'allowed',
      'allowed',
      'allowed',
      'refused',
    ]);
  });

  it('draws as many tokens as a request costs', async () => {
    const key = freshKey();
    expect((await take(from(key, perMinute, 2))).kind).toBe('allowed');
    const refused = await take(from(key, perMinute, 2));
    expect(refused).toMatchObject({ kind: 'refused', waitMs: 1_000 });
    expect(await left(key, perMinute)).toBe(1);
  });

  it('lets a cost above the capacity draw a full bucket whole', async () => {
    const key = freshKey();
    expect((await take(from(key, perMinute, 100))).kind).toBe('allowed');
    expect(await take(from(key, perMinute, 100))).toMatchObject({ kind: 'refused', waitMs: 3_000 });
  });

  it('looks without drawing at cost 0 and never refuses that', async () => {
    const key = freshKey();
    await drain(key, perMinute, 3);
    expect(await take(from(key, perMinute, 0))).toMatchObject({ kind: 'allowed' });
    expect(await left(key, perMinute)).toBe(0);
    const lowered = definePolicy('', { minute: { limit: 1 } });
    expect(await take(from(key, lowered, 0))).toMatchObject({
      kind: 'allowed',
      reported: { tokens: 0 },
    });
  });

  it('applies a raised or lowered limit at once and forgets no usage', async () => {
    const key = freshKey();
    await drain(key, perMinute, 3);
    const raised = definePolicy('', { minute: { limit: 600, burst: 30 } });
    expect(await left(key, raised)).toBe(27);
    const lowered = definePolicy('', { minute: { limit: 60, burst: 2 } });
    expect(await take(from(key, lowered))).toMatchObject({ kind: 'refused', waitMs: 2_000 });
  });

  it('keeps the usage of the windows that stay when others come and go', async () => {
    const key = freshKey();
    await drain(key, threeWindows, 3);
    const other = definePolicy('', { minute: { limit: 10 }, hour: { limit: 50 } });
    await drain(key, other, 1);
    expect(await left(key, definePolicy('', { minute: { limit: 10 } }))).toBe(6);
    expect(await left(key, definePolicy('', { hour: { limit: 50 } }))).toBe(49);
  });

  it('reports the bucket with the least left in proportion, the longer window on a tie', async () => {
    const key = freshKey();
    const first = await take(from(key, threeWindows));
    expect(first.reported.window.name).toBe('second');
    await pass(10 * SECOND);
    const policy = definePolicy('', { second: { limit: 10 }, minute: { limit: 10 } });
    const tie = await take(from(freshKey(), policy));
    expect(tie.reported.window.name).toBe('minute');
  });

  it('reports the refusing bucket with the longest wait and names all that refuse', async () => {
    const key = freshKey();
    const policy = definePolicy('', {
      second: { limit: 2 },
      minute: { limit: 2 },
      day: { limit: 9 },
    });
    await drain(key, policy, 2);
    const refused = await take(from(key, policy));
    expect(refused).toMatchObject({
      kind: 'refused',
      waitMs: 30_000,
      reported: { window: { name: 'minute' } },
      refusing: [{ window: { name: 'second' } }, { window: { name: 'minute' } }],
    });
  });

  it('tells the time of its own clock', async () => {
    await pass(1_500);
    expect((await take(from(freshKey(), perMinute))).decidedAtMs).toBe(nowUs / 1_000);
  });

  it('fills buckets up on reset', async () => {
    const key = freshKey();
    await drain(key, perMinute, 3);
    await tested.store.reset([key, freshKey()]);
    expect(await left(key, perMinute)).toBe(3);
    await tested.store.reset([]);
  });

  it('goes on refilling after its clock was set back, even for a caller that is refused', async () => {
    const key = freshKey();
    await drain(key, perMinute, 3);
    await pass(-3_600 * SECOND);
    expect((await take(from(key, perMinute))).kind).toBe('refused');
    await pass(1 * SECOND);
    expect((await take(from(key, perMinute))).kind).toBe('allowed');
    expect((await take(from(key, perMinute))).kind).toBe('refused');
  });
}
