import { InsertBatches } from './insert-batches.ts';
import type { NewLink } from './link.repository.ts';

function newLink(code: string): NewLink {
  return {
    code,
    longUrl: 'https://example.org/',
    owner: undefined,
    createdAt: new Date(0),
    expiresAt: undefined,
    trackClicks: true,
  };
}

/** A store in memory that takes its time and notes what it was given together. */
function store(fault?: (codes: readonly string[]) => Error | undefined) {
  const taken = new Set<string>();
  const batches: string[][] = [];
  let running = 0;
  const state = { most: 0 };
  const batch = new InsertBatches(async (links) => {
    const codes = links.map(({ code }) => code);
    batches.push(codes);
    state.most = Math.max(state.most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
    const error = fault?.(codes);
    if (error) throw error;
    const free = codes.filter((code) => !taken.has(code));
    for (const code of free) taken.add(code);
    return new Set(free);
  });
  return { batch, batches, state };
}

describe('InsertBatches', () => {
  it('stores one at once, without waiting for others', async () => {
    const { batch, batches } = store();
    expect(await batch.insert(newLink('single1'))).toBe(true);
    expect(batches).toEqual([['single1']]);
  });

  it('stores a burst in few statements, a few of them at a time', async () => {
    const { batch, batches, state } = store();
    const codes = Array.from({ length: 1_000 }, (_, index) => `b${String(index).padStart(6, '0')}`);
    const answers = await Promise.all(codes.map((code) => batch.insert(newLink(code))));
    expect(answers.every(Boolean)).toBe(true);
    expect(batches.flat().sort()).toEqual(codes);
    expect(batches.length).toBeLessThan(10);
    expect(state.most).toBeLessThanOrEqual(3);
  });

  it('never puts a code twice into a statement: one is first, the other is told so', async () => {
    const { batch, batches } = store();
    const answers = await Promise.all([
      batch.insert(newLink('twice01')),
      batch.insert(newLink('twice01')),
      batch.insert(newLink('other01')),
    ]);
    expect(answers.sort()).toEqual([false, true, true]);
    for (const codes of batches) expect(new Set(codes).size).toBe(codes.length);
  });

  it('keeps the fault of one from the others', async () => {
    const { batch } = store((codes) =>
      codes.includes('faulty1') ? new Error('invalid byte sequence') : undefined,
    );
    const answers = await Promise.allSettled(
      ['goodie1', 'faulty1', 'goodie2'].map((code) => batch.insert(newLink(code))),
    );
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('tells everybody at once that the store is away, and goes on when it is back', async () => {
    let isAway = true;
    const { batch, batches } = store(() =>
      isAway ? Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) : undefined,
    );
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => batch.insert(newLink(`away${100 + index}`))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(batches.length).toBeLessThan(5);
    isAway = false;
    expect(await batch.insert(newLink('back001'))).toBe(true);
  });
});
