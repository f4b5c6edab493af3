import { BoundedWork, TooBusy } from './bounded-work.ts';

/** Work that ends when it is told to. */
function controlled() {
  const ends: (() => void)[] = [];
  const started: number[] = [];
  const work = (id: number) => () => {
    started.push(id);
    return new Promise<number>((resolve) => ends.push(() => resolve(id)));
  };
  return { ends, started, work };
}

describe('bounded work', () => {
  it('runs so many at once, lets so many wait in order, and refuses the rest', async () => {
    const bounded = new BoundedWork({ parallel: 2, waiting: 1 });
    const { ends, started, work } = controlled();
    const first = bounded.run(work(1));
    const second = bounded.run(work(2));
    const third = bounded.run(work(3));
    await expect(bounded.run(work(4))).rejects.toThrow(TooBusy);
    expect(started).toEqual([1, 2]);
    ends[0]?.();
    await expect(first).resolves.toBe(1);
    expect(started).toEqual([1, 2, 3]);
    ends[1]?.();
    ends[2]?.();
    await expect(Promise.all([second, third])).resolves.toEqual([2, 3]);
  });

  it('gives the place back when work fails', async () => {
    const bounded = new BoundedWork({ parallel: 1, waiting: 0 });
    await expect(bounded.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(bounded.run(async () => 'yes')).resolves.toBe('yes');
  });
});
