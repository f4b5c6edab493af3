import { GroupCommit } from './group-commit.ts';

describe('a group commit', () => {
  it('writes what is added together in one go, in order', async () => {
    const written: number[][] = [];
    const group = new GroupCommit<number>(async (items) => void written.push([...items]));
    await Promise.all([group.add(1), group.add(2), group.add(3)]);
    await group.add(4);
    expect(written).toEqual([[1, 2, 3], [4]]);
  });

  it('gathers while it writes, and writes every item once', async () => {
    const written: number[] = [];
    let groups = 0;
    const group = new GroupCommit<number>(async (items) => {
      groups++;
      await new Promise((resolve) => setTimeout(resolve, 2));
      written.push(...items);
    });
    const added = Array.from({ length: 500 }, async (_, item) => {
      await new Promise((resolve) => setTimeout(resolve, item % 20));
      await group.add(item);
    });
    await Promise.all(added);
    expect(written.sort((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, item) => item));
    expect(groups).toBeLessThan(100);
  });

  it('tells those of a group that failed, and goes on with the next', async () => {
    let fails = true;
    const group = new GroupCommit<number>(async () => {
      if (fails) throw new Error('away');
    });
    const outcomes = await Promise.allSettled([group.add(1), group.add(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    await expect(group.add(3)).resolves.toBeUndefined();
  });
});
