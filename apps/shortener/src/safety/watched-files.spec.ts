import { mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, StartRefused } from '@gatepost/service-kit';
import { until } from '@gatepost/test-services';
import { Blocklist, blocklistReader } from './blocklist.ts';
import { WatchedFiles } from './watched-files.ts';

const logger = createLogger({ name: 'spec', level: 'fatal' });

describe('WatchedFiles', () => {
  let folder: string;
  let watched: WatchedFiles | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'blocklist-'));
  });

  afterEach(() => {
    watched?.stop();
    rmSync(folder, { recursive: true });
  });

  async function watch(blocklist: Blocklist, ...paths: string[]): Promise<void> {
    watched = new WatchedFiles(blocklistReader(blocklist, paths), logger);
    await watched.start();
  }

  it('reads every file, and all of them again when one changes', async () => {
    const [a, b] = [join(folder, 'a'), join(folder, 'b')];
    writeFileSync(a, 'a.example\n');
    writeFileSync(b, 'b.example');
    const blocklist = new Blocklist();
    await watch(blocklist, a, b);
    expect(blocklist.size).toBe(2);
    writeFileSync(b, 'c.example\nd.example\n');
    await until(() => blocklist.find('https://d.example/') !== undefined);
    expect(blocklist.find('https://a.example/')).toBeDefined();
    expect(blocklist.find('https://b.example/')).toBeUndefined();
  });

  it('follows a symbolic link that is swapped, as a mounted ConfigMap does it', async () => {
    writeFileSync(join(folder, 'first'), 'a.example\n');
    writeFileSync(join(folder, 'second'), 'b.example\n');
    const path = join(folder, 'list');
    symlinkSync(join(folder, 'first'), path);
    const blocklist = new Blocklist();
    await watch(blocklist, path);
    symlinkSync(join(folder, 'second'), join(folder, 'next'));
    renameSync(join(folder, 'next'), path);
    await until(() => blocklist.find('https://b.example/') !== undefined);
  });

  it('keeps the last good reading when a file vanishes, and reads it when it is back', async () => {
    const path = join(folder, 'list');
    writeFileSync(path, 'a.example\n');
    const blocklist = new Blocklist();
    await watch(blocklist, path);
    unlinkSync(path);
    const { edition } = blocklist;
    await new Promise((resolve) => setTimeout(resolve, 1_200)); // one look and more
    expect([blocklist.edition, blocklist.size]).toEqual([edition, 1]);
    writeFileSync(path, 'b.example\n');
    await until(() => blocklist.find('https://b.example/') !== undefined);
  });

  it('refuses to start on a file that cannot be read, by the name of its variable', async () => {
    const started = watch(new Blocklist(), join(folder, 'absent'));
    await expect(started).rejects.toThrow(StartRefused);
    await expect(started).rejects.toThrow(/^BLOCKLIST_FILES: ENOENT/);
  });
});
