import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import {
  defineEnvironment,
  EnvironmentRefused,
  flag,
  httpAddress,
  list,
  port,
  variable,
  whole,
} from './environment.ts';

const environment = defineEnvironment(
  {
    PORT: variable(port(8080), 'Port to listen on'),
    PUBLIC_URL: variable(httpAddress().default('http://localhost:8080'), 'Address'),
    DEMO: variable(flag(false), 'Demo data'),
    HOSTS: variable(list(['a', 'b']), 'Hosts'),
    TOKEN: variable(z.string().min(8), 'A token', { secret: true }),
  },
  (values) =>
    values.DEMO && values.PORT === 1 ? [{ variable: 'DEMO', fault: 'is refused on port 1' }] : [],
);

function faultsOf(source: Record<string, string>): string[] {
  try {
    environment.parse(source);
    return [];
  } catch (error) {
    return (error as EnvironmentRefused).faults.map(
      ({ variable: name, fault }) => `${name} ${fault}`,
    );
  }
}

describe('an environment', () => {
  it('takes defaults and counts an empty variable as absent', () => {
    expect(environment.parse({ TOKEN: 'long enough', PORT: '' })).toEqual({
      PORT: 8080,
      PUBLIC_URL: 'http://localhost:8080',
      DEMO: false,
      HOSTS: ['a', 'b'],
      TOKEN: 'long enough',
    });
  });

  it('reports every fault at once', () => {
    const faults = faultsOf({ PORT: '70000', PUBLIC_URL: 'ftp://x', DEMO: 'yes' });
    expect(faults.map((fault) => fault.split(' ')[0]).sort()).toEqual([
      'DEMO',
      'PORT',
      'PUBLIC_URL',
      'TOKEN',
    ]);
    expect(faults).toContain('TOKEN is missing');
  });

  it('applies refusals that need several variables', () => {
    expect(faultsOf({ TOKEN: 'long enough', DEMO: 'true', PORT: '1' })).toEqual([
      'DEMO is refused on port 1',
    ]);
  });

  it('drops the trailing slash of an address and splits lists', () => {
    const values = environment.parse({
      TOKEN: 'long enough',
      PUBLIC_URL: 'https://x.test/',
      HOSTS: ' a , ,c',
    });
    expect([values.PUBLIC_URL, values.HOSTS]).toEqual(['https://x.test', ['a', 'c']]);
  });

  describe('a secret from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatepost-env-'));
    const file = join(folder, 'token');
    beforeAll(() => writeFileSync(file, 'from the file\n'));
    afterAll(() => rmSync(folder, { recursive: true }));

    it('is read without its last line end', () => {
      expect(environment.parse({ TOKEN_FILE: file }).TOKEN).toBe('from the file');
    });
    it('is refused when the variable is given as well', () => {
      expect(faultsOf({ TOKEN_FILE: file, TOKEN: 'long enough' })).toContain(
        'TOKEN is given twice, as TOKEN and as TOKEN_FILE',
      );
    });
    it('is refused by name when the file cannot be read', () => {
      expect(faultsOf({ TOKEN_FILE: join(folder, 'absent') })).toContain(
        'TOKEN_FILE cannot be read (ENOENT)',
      );
    });
  });

  it('hides secrets when printed', () => {
    const values = environment.parse({ TOKEN: 'very secret value' });
    expect(environment.toPrintable(values)).toMatchObject({ TOKEN: '(hidden)', PORT: 8080 });
  });

  it('describes itself as a table', () => {
    expect(environment.toMarkdown().split('\n')).toEqual([
      '| variable | default | meaning |',
      '|---|---|---|',
      '| `PORT` | `8080` | Port to listen on |',
      '| `PUBLIC_URL` | `http://localhost:8080` | Address |',
      '| `DEMO` | `false` | Demo data |',
      '| `HOSTS` | `a,b` | Hosts |',
      '| `TOKEN` | – | A token |',
    ]);
  });

  it('accepts whole numbers within bounds only', () => {
    const one = defineEnvironment({ N: variable(whole({ min: 1, max: 3, initially: 2 }), 'n') });
    expect(one.parse({}).N).toBe(2);
    for (const bad of ['0', '4', '1.5', 'x'])
      expect(() => one.parse({ N: bad })).toThrow(EnvironmentRefused);
  });
});
