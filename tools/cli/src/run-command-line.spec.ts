import { Home } from '../test/run.ts';
import { nearestName, readCommandLine } from './command-line.ts';
import { commands } from './commands.ts';
import { isLoopback, readEnvironment } from './environment.ts';
import { plain, Terminal } from './terminal.ts';
import { ageOf, toTimestamp } from './time.ts';

let home: Home;
beforeAll(async () => {
  home = await Home.make({});
});
afterAll(() => home.remove());

describe('help', () => {
  it.each(['', 'help', '--help', '-h', 'help --json'])('%p lists every command', async (words) => {
    const { exitCode, out } = await home.run(words);
    expect(exitCode).toBe(0);
    for (const name of commands.keys()) expect(out).toContain(name);
  });

  it.each([...commands.keys()])('of %s names each of its options', async (name) => {
    const { exitCode, out } = await home.run(`help ${name}`);
    expect(exitCode).toBe(0);
    expect(out).toContain(`gatepost ${name}`);
    for (const option of Object.keys(commands.get(name)?.options ?? {}))
      expect(out).toMatch(new RegExp(`^  --${option}\\b`, 'm'));
    expect((await home.run(`${name} --help`)).out).toBe(out);
  });

  it('describes no option that is not there', () => {
    for (const { options, optionHelp } of commands.values())
      for (const entry of Object.keys(optionHelp))
        expect(Object.keys(options)).toContain(entry.split(' ')[0]);
  });
});

describe('a command line', () => {
  it('is refused with a hint when the command is mistyped', async () => {
    expect(await home.run('shroten x')).toEqual({
      exitCode: 2,
      out: '',
      err: 'error: There is no command "shroten".\nDid you mean "gatepost shorten"?\n',
    });
    expect((await home.run('frobnicate')).err).toContain('gatepost help');
  });

  it('prints its version', async () => {
    expect((await home.run('--version')).out).toBe('0.1.0\n');
  });

  it('takes global options before and after the command', () => {
    for (const words of [
      ['--json', '--base-url', 'http://a.test', 'links', '--all'],
      ['links', '--all', '--base-url=http://a.test', '--json'],
    ])
      expect(readCommandLine(words)).toMatchObject({
        commandName: 'links',
        json: true,
        baseUrl: 'http://a.test',
        wantsHelp: false,
      });
  });

  it.each(['ftp://x', 'localhost:8080', 'http://user:pw@x', 'http://x/?a=1', 'nonsense'])(
    'refuses the base address %p',
    async (address) => {
      expect((await home.run(`links --base-url ${address}`)).exitCode).toBe(2);
    },
  );

  it('does not show what an unexpected error says: it may quote a token', async () => {
    const { exitCode, err } = await home.run('links', {
      readEnvironment: () => {
        throw new TypeError('secret-token');
      },
    });
    expect(exitCode).toBe(1);
    expect(err).toContain('TypeError');
    expect(err).not.toContain('secret-token');
  });

  it.each([
    ['shortn', 'shorten'],
    ['link', 'links'],
    ['whoiam', 'whoami'],
    ['xyz', undefined],
  ])('%p is near %p', (name, near) => {
    expect(nearestName(name, ['login', 'links', 'shorten', 'whoami'])).toBe(near);
  });
});

describe('the environment', () => {
  it('has defaults for a laptop', () => {
    expect(readEnvironment({ XDG_CONFIG_HOME: '/home/u/.config' }, 'linux')).toMatchObject({
      baseUrl: 'http://localhost:8080',
      configDir: '/home/u/.config/gatepost',
      managementUrls: {
        gateway: 'http://127.0.0.1:9080',
        auth: 'http://127.0.0.1:9081',
        shortener: 'http://127.0.0.1:9082',
      },
      hasDisplay: false,
    });
  });

  it('takes addresses without their trailing slash', () => {
    expect(readEnvironment({ GATEPOST_URL: 'https://go.example.com/' }, 'darwin')).toMatchObject({
      baseUrl: 'https://go.example.com',
      hasDisplay: true,
    });
  });

  it.each([
    ['http://localhost:8080', true],
    ['http://127.0.0.1', true],
    ['http://127.8.9.1:1', true],
    ['http://[::1]:8080', true],
    ['http://localhost.evil.test', false],
    ['http://127.0.0.1.evil.test', false],
    ['http://10.0.0.1', false],
  ])('%s is this machine: %p', (url, isLocal) => {
    expect(isLoopback(url)).toBe(isLocal);
  });
});

describe('the terminal', () => {
  const make = (isTTY: boolean, options: { json: boolean; noColour: boolean }) => {
    const stream = { write: () => undefined, isTTY };
    return new Terminal({ out: stream, err: stream }, options).style.red('x');
  };

  it('has colours on a TTY alone', () => {
    expect(make(true, { json: false, noColour: false })).toBe('\u001b[31mx\u001b[39m');
    expect(make(false, { json: false, noColour: false })).toBe('x');
    expect(make(true, { json: true, noColour: false })).toBe('x');
    expect(make(true, { json: false, noColour: true })).toBe('x');
  });

  it('shows nothing that could move the cursor', () => {
    expect(plain('a\u001b[2Jb\r\nc\u0007\u009b')).toBe('a\ufffd[2Jb\ufffd\ufffdc\ufffd\ufffd');
    expect(plain('Grüße, 世界 🎉')).toBe('Grüße, 世界 🎉');
  });
});

describe('times', () => {
  const now = Date.parse('2026-11-20T12:00:00Z');

  it.each([
    ['90s', '2026-11-20T12:01:30.000Z'],
    ['30m', '2026-11-20T12:30:00.000Z'],
    ['12h', '2026-11-21T00:00:00.000Z'],
    ['7d', '2026-11-27T12:00:00.000Z'],
    ['4w', '2026-12-18T12:00:00.000Z'],
    ['2030-01-01T00:00:00+02:00', '2029-12-31T22:00:00.000Z'],
    ['2030-01-01', '2030-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, expected) => {
    expect(toTimestamp(text, '--expires', now)).toBe(expected);
  });

  it.each([
    ['2026-11-20T11:59:30Z', 'just now'],
    ['2026-11-20T11:30:00Z', '30 min ago'],
    ['2026-11-20T02:00:00Z', '10 h ago'],
    ['2026-11-01T12:00:00Z', '19 d ago'],
    ['2026-11-21T12:00:00Z', 'just now'],
  ])('%s was %s', (timestamp, age) => {
    expect(ageOf(timestamp, now)).toBe(age);
  });
});
