import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { CommandFailed } from '../command-failed.ts';
import { CredentialFile } from './credential-file.ts';
import { withLock } from './file-lock.ts';
import type { Session } from './session.ts';

let root: string;
let directory: string;
let file: CredentialFile;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatepost-credentials-'));
  directory = join(root, 'nested', 'gatepost');
  file = new CredentialFile(directory);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const session = (accessToken = 'a'): Session => ({
  issuer: 'https://id.example.test/auth',
  clientId: 'demo-cli',
  subject: 'user-1',
  name: 'Demo',
  email: undefined,
  emailVerified: false,
  scope: 'openid',
  accessToken,
  refreshToken: 'r',
  expiresAt: 1,
  signedInAt: 1,
});
const mode = async (path: string) => (await stat(path)).mode & 0o777;

describe('the credential file', () => {
  it('gives back what was stored, by base address', async () => {
    expect(await file.find('https://a.test')).toBeUndefined();
    await file.change('https://a.test', () => session('a'));
    await file.change('https://b.test', () => session('b'));
    expect(await file.find('https://a.test')).toEqual(session('a'));
    expect(await file.find('https://b.test')).toEqual(session('b'));
    await file.change('https://a.test', () => undefined);
    expect(await file.find('https://a.test')).toBeUndefined();
    expect(await file.find('https://b.test')).toEqual(session('b'));
    expect(await file.find('__proto__')).toBeUndefined();
  });

  it('is the user’s alone, whatever the umask', async () => {
    const before = process.umask(0);
    await file.change('https://a.test', () => session());
    process.umask(before);
    expect(await mode(file.path)).toBe(0o600);
    expect(await mode(directory)).toBe(0o700);
  });

  it('is closed again when it came back open, e.g. from a backup', async () => {
    await file.change('https://a.test', () => session());
    await chmod(file.path, 0o644);
    await file.find('https://a.test');
    expect(await mode(file.path)).toBe(0o600);
  });

  it('is not kept where others may write', async () => {
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o777);
    const writing = file.change('https://a.test', () => session());
    await expect(writing).rejects.toMatchObject({ cure: expect.stringContaining('chmod 700') });
    expect(await readdir(directory)).toEqual([]);
  });

  it('replaces a link instead of writing through it', async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const elsewhere = join(root, 'elsewhere');
    await writeFile(elsewhere, JSON.stringify({ version: 1, sessions: {} }));
    await symlink(elsewhere, file.path);
    await file.change('https://a.test', () => session('secret'));
    expect(await readFile(elsewhere, 'utf8')).not.toContain('secret');
  });

  it('leaves the old content when a change fails', async () => {
    await file.change('https://a.test', () => session('old'));
    const failing = file.change('https://a.test', () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await file.find('https://a.test')).toEqual(session('old'));
    expect(await readdir(directory)).toEqual(['credentials.json']);
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"version":2,"sessions":{}}',
    '{"version":1,"sessions":{"x":{}}}',
  ])('says what to do when it holds %p', async (text) => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(file.path, text);
    await expect(file.find('x')).rejects.toMatchObject({
      cure: expect.stringContaining('Delete it'),
    });
  });

  it('keeps any text that a server may have sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.webUrl(), fc.string(), async (baseUrl, token) => {
        await file.change(baseUrl, () => session(token));
        expect(await file.find(baseUrl)).toEqual(session(token));
      }),
      runs(20),
    );
  });
});

describe('the lock', () => {
  it('lets one in at a time', async () => {
    const lock = join(root, 'lock');
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 12 }, () =>
        withLock(lock, async () => {
          inside += 1;
          most = Math.max(most, inside);
          await new Promise((resolve) => setImmediate(resolve));
          inside -= 1;
        }),
      ),
    );
    expect(most).toBe(1);
    expect(await readdir(root)).toEqual([]);
  });

  it('is taken over from a process that has died', async () => {
    const lock = join(root, 'lock');
    await writeFile(lock, '999999999 gone');
    expect(await withLock(lock, async () => 'in')).toBe('in');
  });

  it('is taken over from a holder that is too old', async () => {
    const lock = join(root, 'lock');
    await writeFile(lock, `${process.pid} old`);
    await utimes(lock, 1, 1);
    expect(await withLock(lock, async () => 'in')).toBe('in');
  });

  it('is let go when the work fails', async () => {
    const lock = join(root, 'lock');
    const failing = withLock(lock, () => Promise.reject(new CommandFailed('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await readdir(root)).toEqual([]);
  });
});
