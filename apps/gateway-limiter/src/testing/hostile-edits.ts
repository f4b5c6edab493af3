import fc from 'fast-check';

/** What YAML and the schemas of our files have rules for. */
const SNIPPETS = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ':',
    ': ',
    '- ',
    '"',
    "'",
    '|',
    '>',
    '&a ',
    '*a',
    '!!binary ',
    '!!js/function ',
    '<<: ',
    '---\n',
    '\t',
    '\n',
    '\n  ',
  ],
  ...[
    '0',
    '-1',
    '1e400',
    '.nan',
    '.inf',
    '0x10',
    '1e-9',
    'null',
    '~',
    'true',
    'yes',
    '""',
    '[]',
    '{}',
    '10.0.0.0/8',
    '::/0',
    'key:x',
    '2026-01-01',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'default',
    'anonymous',
    'free',
    'second',
    'burst',
    'limit',
    'shadow',
    'pool',
    'peers',
    '*',
    '/',
    '//',
    '%2e',
  ],
];

/** A good file with pieces cut out, doubled and put in; now and then nothing of it is left. */
export function hostileEdits(good: string): fc.Arbitrary<string> {
  const edit = fc.record({
    at: fc.nat(good.length),
    cut: fc.oneof(fc.constant(0), fc.nat(4), fc.nat(good.length)),
    insert: fc.oneof(
      fc.constantFrom('', ...SNIPPETS),
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.nat(good.length).map((from) => good.slice(from, from + 20)),
    ),
  });
  const edited = fc
    .array(edit, { minLength: 1, maxLength: 4 })
    .map((edits) =>
      edits.reduce(
        (text, { at, cut, insert }) => text.slice(0, at) + insert + text.slice(at + cut),
        good,
      ),
    );
  return fc.oneof(
    { weight: 9, arbitrary: edited },
    { weight: 1, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
  );
}
