import { bucketStoreContract, type StoreUnderTest } from './bucket-store.contract.ts';
import { MemoryBucketStore } from './memory-bucket-store.ts';
import { definePolicy } from './policy.ts';

describe('memory bucket store', () => {
  bucketStoreContract(async (startUs): Promise<StoreUnderTest> => {
    let nowUs = startUs;
    return {
      store: new MemoryBucketStore({ nowUs: () => nowUs, capacity: 1_000 }),
      setTime: (us) => {
        nowUs = us;
      },
      close: () => undefined,
    };
  });

  const policy = definePolicy('', { minute: { limit: 2 } });
  const taken = (store: MemoryBucketStore, key: string) =>
    store.decide([{ key, policy, cost: 1 }]).kind;

  it('never holds more buckets than its capacity, whatever keys are invented', () => {
    const store = new MemoryBucketStore({ nowUs: () => 1, capacity: 10 });
    for (let index = 0; index < 1_000; index++) taken(store, `key-${index}`);
    expect(store.size).toBe(10);
  });

  it('forgets the bucket that was left alone longest first, refused uses counting as uses', () => {
    const store = new MemoryBucketStore({ nowUs: () => 1, capacity: 2 });
    taken(store, 'a');
    taken(store, 'a');
    taken(store, 'b');
    expect(taken(store, 'a')).toBe('refused');
    taken(store, 'c');
    expect(taken(store, 'a')).toBe('refused');
    taken(store, 'b');
    expect(store.size).toBe(2);
  });

  it('stores nothing for a look or for a refusal of a caller it does not know', () => {
    const store = new MemoryBucketStore({ nowUs: () => 1, capacity: 2 });
    store.decide([{ key: 'a', policy, cost: 0 }]);
    expect(store.size).toBe(0);
  });
});
