import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartRefused } from '@gatepost/service-kit';
import { until } from '@gatepost/test-services';
import { z } from 'zod';
import {
  DefinitionFile,
  type DefinitionRefused,
  openDefinition,
  parseDefinition,
} from './definition-file.ts';

const schema = z.strictObject({ colour: z.string(), size: z.number() });
type Definition = z.output<typeof schema>;

const parse = (file: string, text: string) =>
  parseDefinition(file, text, schema, ({ size }) => (size < 0 ? ['size: is negative'] : []));

const GOOD = 'colour: red\nsize: 1\n';

const faultsOf = (text: string): readonly string[] => {
  try {
    parse('file.yaml', text);
    return [];
  } catch (error) {
    return (error as DefinitionRefused).faults;
  }
};

describe('a file of definitions', () => {
  it('is YAML or JSON', () => {
    expect(parse('x', '{ "colour": "red", "size": 1 }')).toEqual(parse('x', GOOD));
  });

  it('is refused with all its faults, or with the place where it is no YAML', () => {
    expect(faultsOf('size: big\nshape: round')).toHaveLength(3);
    expect(faultsOf('colour: red\nsize: -1')).toEqual(['size: is negative']);
    expect(faultsOf('colour: [')[0]).toMatch(/line 1/);
    expect(faultsOf('')[0]).toMatch(/^file: /);
  });

  describe('while the gateway runs', () => {
    let folder: string;
    let file: string;
    let opened: DefinitionFile<Definition>;
    let changed: Definition[];
    let refused: DefinitionRefused[];

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'definitions-'));
      file = join(folder, 'file.yaml');
      writeFileSync(file, GOOD);
      changed = [];
      refused = [];
      opened = DefinitionFile.open(file, parse);
      opened.watch(5, {
        changed: (definition) => void changed.push(definition),
        refused: (refusal) => void refused.push(refusal),
      });
    });
    afterEach(() => {
      opened.stop();
      rmSync(folder, { recursive: true });
    });

    const replaceWith = (text: string) => {
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
    };

    it('tells of a change, of each fault once, and of the way back', async () => {
      replaceWith(GOOD.replace('red', 'blue'));
      await until(() => changed.length === 1);
      expect(changed[0]).toEqual({ colour: 'blue', size: 1 });
      replaceWith('colour: 7');
      await until(() => refused.length === 1);
      rmSync(file);
      await until(() => refused.length === 2);
      expect(refused[1]?.faults).toEqual(['cannot be read (ENOENT)']);
      replaceWith(GOOD);
      await until(() => changed.length === 2);
      expect(refused).toHaveLength(2);
    });

    it('ends the start when it is not there, and is not needed when nobody names it', () => {
      const absent = join(folder, 'absent');
      expect(() => openDefinition(absent, parse)).toThrow(StartRefused);
      expect(() => openDefinition(absent, parse)).toThrow('cannot be read (ENOENT)');
      expect(openDefinition(undefined, parse)).toBeUndefined();
    });
  });
});
