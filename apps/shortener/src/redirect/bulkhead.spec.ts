import { Bulkhead, BulkheadFull } from './bulkhead.ts';

/** Work that ends when told to. */
function held() {
  let finish: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { work: () => promise, finish };
}

describe('Bulkhead', () => {
  it('lets no more than its places run at once, and the next in line when one ends', async () => {
    const bulkhead = new Bulkhead({ places: 2, maxWaiting: 10, maxWaitMs: 1_000 });
    let running = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    await Promise.all(Array.from({ length: 9 }, () => bulkhead.run(work)));
    expect([most, running]).toEqual([2, 0]);
  });

  it('turns away at once who finds the line full', async () => {
    const bulkhead = new Bulkhead({ places: 1, maxWaiting: 1, maxWaitMs: 1_000 });
    const first = held();
    const running = bulkhead.run(first.work);
    const waiting = bulkhead.run(async () => 'waited');
    await expect(bulkhead.run(async () => 'never')).rejects.toThrow(BulkheadFull);
    first.finish();
    await running;
    expect(await waiting).toBe('waited');
  });

  it('turns away who has waited too long, and keeps the place for the next', async () => {
    const bulkhead = new Bulkhead({ places: 1, maxWaiting: 5, maxWaitMs: 20 });
    const first = held();
    const running = bulkhead.run(first.work);
    await expect(bulkhead.run(async () => 'never')).rejects.toThrow('in time');
    first.finish();
    await running;
    expect(await bulkhead.run(async () => 'again')).toBe('again');
  });

  it('gives the place back when the work fails', async () => {
    const bulkhead = new Bulkhead({ places: 1, maxWaiting: 5, maxWaitMs: 20 });
    const failing = () => bulkhead.run(() => Promise.reject(new Error('no')));
    await expect(failing()).rejects.toThrow('no');
    await expect(failing()).rejects.toThrow('no');
    expect(await bulkhead.run(async () => 'fine')).toBe('fine');
  });
});
