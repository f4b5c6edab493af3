import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBarrier } from './server-user.ts';

describe('findBarrier', () => {
  const stranger = { uid: 65_534, gid: 65_534 };
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  let root: string;

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'barrier-'));
    mkdirSync(join(root, 'inner', 'target'), { recursive: true });
  });
  afterAll(() => rmSync(root, { recursive: true }));

  const modes = (outer: number, inner: number, target: number): void => {
    chmodSync(join(root, 'inner', 'target'), target);
    chmodSync(join(root, 'inner'), inner);
    chmodSync(root, outer);
  };

  it.each([
    ['nothing', 0o755, 0o755, 0o755, undefined],
    ['a private folder above', 0o700, 0o755, 0o755, ''],
    ['a private folder on the way', 0o755, 0o700, 0o755, 'inner'],
    ['a folder that may be passed, not listed', 0o711, 0o711, 0o755, undefined],
    ['a target that may be passed, not read', 0o755, 0o755, 0o711, 'inner/target'],
  ])('stops a stranger: %s', (_what, outer, inner, target, barrier) => {
    modes(outer, inner, target);
    const expected = barrier === undefined ? undefined : join(root, barrier);
    expect(findBarrier(join(root, 'inner', 'target'), stranger)).toBe(expected);
  });

  it('does not stop the owner of private folders', () => {
    modes(0o700, 0o700, 0o700);
    expect(findBarrier(join(root, 'inner', 'target'), self)).toBeUndefined();
  });
});
