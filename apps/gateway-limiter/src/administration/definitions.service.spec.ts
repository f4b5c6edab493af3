import { createHash } from 'node:crypto';
import { credentialDigest } from '../identity/keyed-hash.ts';
import { Definitions } from './definitions.service.ts';
import { MemoryDefinitionStore } from './memory-definition-store.ts';

const hexOf = (key: string) => createHash('sha256').update(key).digest('hex');

describe('Definitions', () => {
  const open = () => {
    const store = new MemoryDefinitionStore();
    const troubles: Error[] = [];
    const definitions = new Definitions({
      store,
      demoKeys: [{ name: 'demo-free', tier: 'free', key: 'demo-key-free' }],
      onTrouble: (error) => troubles.push(error),
    });
    return { store, definitions, troubles };
  };
  const nameOf = (definitions: Definitions, key: string) =>
    definitions.findKey(credentialDigest(key))?.name;

  it('finds demo keys, keys of the file and issued keys by their digest', async () => {
    const { store, definitions } = open();
    definitions.useFileKeys([
      { name: 'filed', tier: 'paid', sha256: hexOf('key-in-file').toUpperCase() },
    ]);
    await store.addKey({
      name: 'issued',
      tier: 'free',
      digest: credentialDigest('issued-key'),
      hint: 'gp_',
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    await definitions.refresh();
    expect(
      ['demo-key-free', 'key-in-file', 'issued-key', 'other'].map((key) =>
        nameOf(definitions, key),
      ),
    ).toEqual(['demo-free', 'filed', 'issued', undefined]);
    expect(definitions.listKeys().map(({ name, source }) => `${name} ${source}`)).toEqual([
      'demo-free demo',
      'issued issued',
      'filed file',
    ]);
    definitions.useFileKeys([]);
    expect(nameOf(definitions, 'key-in-file')).toBeUndefined();
  });

  it('never lists a key or its digest', async () => {
    const { definitions } = open();
    definitions.useFileKeys([{ name: 'filed', tier: 'paid', sha256: hexOf('key-in-file') }]);
    const listed = JSON.stringify(definitions.listKeys());
    expect(listed).not.toContain('demo-key-free');
    expect(listed).not.toContain(hexOf('key-in-file'));
  });

  it('keeps what it knew while the store is away, and tells of it once', async () => {
    const { store, definitions, troubles } = open();
    await store.putOverride({ caller: 'user:x', tier: 'paid' });
    await definitions.refresh();
    store.sync = async () => {
      throw new Error('away');
    };
    await definitions.refresh();
    await definitions.refresh();
    expect(troubles).toHaveLength(1);
    expect(definitions.findOverride('user:x')).toBeDefined();
    expect(definitions.listOverrides()).toHaveLength(1);
  });
});
