import { definePolicy, MemoryBucketStore, type TakeRequest } from '@gatepost/limiter-core';
import { TakeBatcher } from './take-batcher.ts';

const policy = definePolicy('', { minute: { limit: 1_000 } });
const request = (key: string): TakeRequest => [{ key, policy, cost: 1 }];

describe('TakeBatcher', () => {
  const open = () => {
    const store = new MemoryBucketStore({ nowUs: () => 1, capacity: 1_000 });
    const sizes: number[] = [];
    const batcher = new TakeBatcher((requests, settle) => {
      sizes.push(requests.length);
      requests.forEach((each, place) => {
        settle(place, store.decide(each));
      });
    });
    return { batcher, sizes };
  };

  it('asks once for all that arrives in one turn of the event loop', async () => {
    const { batcher, sizes } = open();
    await Promise.all(['a', 'b', 'c'].map((key) => batcher.take(request(key))));
    await batcher.take(request('d'));
    expect(sizes).toEqual([3, 1]);
  });

  it('takes along what the next turn brings where one brings many, and no more than that', async () => {
    const { batcher, sizes } = open();
    const take = (...keys: string[]) => keys.map((key) => batcher.take(request(key)));
    const first = take(...'abcdefghijklmnop');
    // Runs before the batcher's own setImmediate of the next turn, as sockets do.
    const next = new Promise<unknown>((resolve) =>
      setImmediate(() => resolve(Promise.all(take('q', 'r')))),
    );
    await Promise.all(first);
    await next;
    expect(sizes).toEqual([18]);
    await Promise.all(take('s'));
    expect(sizes).toEqual([18, 1]);
  });

  it('sends 64 at once without waiting for the turn to end', async () => {
    const { batcher, sizes } = open();
    await Promise.all(Array.from({ length: 130 }, (_, index) => batcher.take(request(`${index}`))));
    expect(sizes).toEqual([64, 64, 2]);
  });

  it('gives each request its own decision', async () => {
    const { batcher } = open();
    const decisions = await Promise.all(['a', 'b', 'a'].map((key) => batcher.take(request(key))));
    expect(decisions.map((decision) => decision?.reported.tokens)).toEqual([999, 999, 998]);
  });

  it('does not wait for one answer before it asks for the next, nor for the others of a batch', async () => {
    const settles: (() => void)[] = [];
    const batcher = new TakeBatcher((requests, settle) => {
      requests.forEach((_request, place) => {
        settles.push(() => settle(place, undefined));
      });
    });
    const answered: string[] = [];
    const ask = (key: string) => batcher.take(request(key)).then(() => answered.push(key));
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    void ask('a');
    void ask('b');
    await turn();
    void ask('c');
    await turn();
    expect(settles).toHaveLength(3);
    for (const place of [2, 1, 0]) {
      settles[place]?.();
      await turn();
    }
    expect(answered).toEqual(['c', 'b', 'a']);
  });
});
