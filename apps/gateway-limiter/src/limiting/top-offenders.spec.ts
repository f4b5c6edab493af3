import { BoundedLabels, mergeOffenders, TopOffenders } from './top-offenders.ts';

describe('TopOffenders', () => {
  it('keeps the most refused callers in bounded memory, whoever passes by', () => {
    const offenders = new TopOffenders(20, 1e9);
    for (let round = 0; round < 1_000; round++) {
      for (let worst = 0; worst < 5; worst++)
        offenders.note(`worst-${worst}`, 'address', 'free', 1);
      offenders.note(`passer-by-${round}`, 'address', 'free', 1);
    }
    const listed = offenders.list(1);
    expect(listed).toHaveLength(20);
    expect(
      listed
        .slice(0, 5)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([0, 1, 2, 3, 4].map((index) => `worst-${index}`));
    expect(listed[0]).toMatchObject({ count: 1_000, lastAtMs: 1 });
  });

  it('forgets old offences by half-lives', () => {
    const offenders = new TopOffenders(10, 1_000);
    for (let index = 0; index < 8; index++) offenders.note('a', 'key', 'free', 1_000);
    expect(offenders.list(2_999)[0]?.count).toBe(4);
    expect(offenders.list(4_000)[0]?.count).toBe(1);
    expect(offenders.list(100_000)).toEqual([]);
  });
});

describe('mergeOffenders', () => {
  it('adds up what several processes counted, the worst first', () => {
    const entry = (id: string, count: number, lastAtMs: number) => ({
      id,
      kind: 'address',
      tier: 'free',
      count,
      lastAtMs,
    });
    expect(mergeOffenders([[entry('a', 5, 1), entry('b', 4, 9)], [entry('b', 3, 2)], []])).toEqual([
      entry('b', 7, 9),
      entry('a', 5, 1),
    ]);
  });
});

describe('BoundedLabels', () => {
  it('admits while there is room, keeps whom it admitted, and nobody else', () => {
    const labels = new BoundedLabels(2);
    expect([labels.admit('a'), labels.admit('b'), labels.admit('c')]).toEqual([true, true, false]);
    expect(labels.admit('a')).toBe(true);
    expect([labels.has('b'), labels.has('c')]).toEqual([true, false]);
  });
});
