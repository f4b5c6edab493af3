import type { LimitOverride } from '@gatepost/contracts';
import type { DefinitionStore, StoredKey } from './definition-store.ts';

const key = (name: string): StoredKey => ({
  name,
  tier: 'free',
  digest: `digest-of-${name}`,
  hint: 'gp_abcde',
  createdAt: '2026-01-01T00:00:00.000Z',
});
const override = (caller: string, limit: number): LimitOverride => ({
  caller,
  limits: { minute: { limit } },
});

/** What every store of run-time definitions must do. `open` gives an empty one. */
export function definitionStoreContract(open: () => Promise<DefinitionStore>): void {
  let store: DefinitionStore;
  beforeEach(async () => {
    store = await open();
  });

  it('begins empty, at version 0, with one worker', async () => {
    expect(await store.load()).toEqual({ version: 0, keys: [], overrides: [] });
    expect(await store.sync()).toEqual({ version: 0, liveWorkers: 1 });
  });

  it('keeps keys, one a name, until they are removed', async () => {
    expect(await store.addKey(key('acme'))).toBe(true);
    expect(await store.addKey({ ...key('acme'), tier: 'paid' })).toBe(false);
    expect((await store.load()).keys).toEqual([key('acme')]);
    expect(await store.removeKey('acme')).toBe(true);
    expect(await store.removeKey('acme')).toBe(false);
    expect((await store.load()).keys).toEqual([]);
  });

  it('keeps overrides, the latest a caller, until they are removed', async () => {
    await store.putOverride(override('user:a', 1));
    await store.putOverride(override('user:a', 2));
    expect((await store.load()).overrides).toEqual([override('user:a', 2)]);
    expect(await store.removeOverride('user:a')).toBe(true);
    expect(await store.removeOverride('user:a')).toBe(false);
  });

  it('tells by its version that something changed, and only then', async () => {
    const versions = [(await store.sync()).version];
    const steps = [
      () => store.addKey(key('a')),
      () => store.putOverride(override('user:a', 1)),
      () => store.removeOverride('user:a'),
      () => store.removeKey('a'),
    ];
    for (const step of steps) {
      await step();
      versions.push((await store.sync()).version);
    }
    expect(versions).toEqual([0, 1, 2, 3, 4]);
    await store.removeKey('a');
    expect((await store.sync()).version).toBe(4);
    expect((await store.load()).version).toBe(4);
  });
}
