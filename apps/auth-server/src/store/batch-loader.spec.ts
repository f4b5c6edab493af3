import { BatchLoader } from './batch-loader.ts';

describe('a batch loader', () => {
  it('asks once for what is asked together, each key once', async () => {
    const asked: string[][] = [];
    const loader = new BatchLoader(async (keys) => {
      asked.push([...keys]);
      return new Map(keys.filter((key) => key !== 'none').map((key) => [key, key.toUpperCase()]));
    });
    const values = await Promise.all(['a', 'b', 'a', 'none'].map((key) => loader.load(key)));
    expect(values).toEqual(['A', 'B', 'A', undefined]);
    expect(asked).toEqual([['a', 'b', 'none']]);
  });

  it('caches nothing', async () => {
    let version = 0;
    const loader = new BatchLoader(async (keys) => new Map(keys.map((key) => [key, ++version])));
    expect(await loader.load('a')).toBe(1);
    expect(await loader.load('a')).toBe(2);
  });

  it('tells everyone of a failure, and goes on', async () => {
    let fails = true;
    const loader = new BatchLoader<string>(async () => {
      if (fails) throw new Error('away');
      return new Map([['a', 'A']]);
    });
    const outcomes = await Promise.allSettled([loader.load('a'), loader.load('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await loader.load('a')).toBe('A');
  });
});
