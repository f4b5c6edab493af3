import fc from 'fast-check';
import { type NamedOperation, type Parameter, resolve, type Schema } from './description.ts';

export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What has broken readers of text before. */
const NASTY = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '\r\n',
    '\u2028',
    '\ufeff',
    '\ud800',
    '\u202e',
    '\u017f',
    '%',
    '%00',
    '%ff',
    '%2f..%2f',
    '../..',
  ],
  ...[
    "';--",
    '{{x}}',
    '<script>',
    '__proto__',
    'constructor',
    'null',
    'NaN',
    '-1',
    '1e400',
    '0x10',
    '9007199254740993',
  ],
];

/** Long URLs that are good, bad and doubtful; the schema cannot tell them apart. */
const LONG_URLS = [
  ...[
    'https://example.org/',
    'http://example.com:8080/a?b=c#d',
    'https://bücher.example/ä',
    'HTTPS://EXAMPLE.org',
  ],
  ...[
    'http://127.1/',
    'https://[::1]/',
    'https://go.example.com/abc1234',
    'https://user@example.org/',
    'http://localhost/',
  ],
  ...[
    'https://example.org/\u0000',
    'https://',
    'ftp://example.org/',
    'javascript:alert(1)',
    `https://example.org/${'a'.repeat(2_100)}`,
  ],
];

const text = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...NASTY) },
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

/** RFC 3339 and what nearly is. */
const dateTime = fc.oneof(
  fc
    .date({ min: new Date(0), max: new Date('9998-12-31T00:00:00Z'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom(
    ...[
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59-23:59',
      '9999-12-31T23:59:59Z',
      '2030-02-30T00:00:00Z',
      '1969-12-31T23:59:59Z',
    ],
    ...[
      '2030-01-01',
      '2030-01-01T00:00:00',
      '2030-01-01T24:00:00Z',
      '2030-06-30T23:59:60Z',
      '+010000-01-01T00:00:00Z',
      '2030-01-01t00:00:00.123456789z',
    ],
  ),
);

/** Values of a schema, by its own words. */
function fits(given: Schema): fc.Arbitrary<unknown> {
  const schema = resolve(given);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(fits));
  const types = [schema.type ?? []].flat();
  return types.length === 0
    ? fc.jsonValue()
    : fc.oneof(...types.map((type) => fitsType(type, schema)));
}

function fitsType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000 });
    case 'string':
      if (schema.format === 'date-time') return dateTime;
      if (schema.pattern?.includes('[Hh]'))
        return fc.oneof(
          fc.webUrl({ withQueryParameters: true, withFragments: true }),
          fc.constantFrom(...LONG_URLS),
        );
      return schema.pattern === undefined ? text : fc.stringMatching(new RegExp(schema.pattern));
    case 'array':
      return fc.array(fits(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 4),
      });
    default:
      return fc.record(
        Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, member]) => [name, fits(member)]),
        ),
        { requiredKeys: [...(schema.required ?? [])] },
      );
  }
}

/** Values that mostly break a schema: a member of another kind, missing, unknown, or another thing altogether. */
function breaks(given: Schema): fc.Arbitrary<unknown> {
  const schema = resolve(given);
  const anything = fc.oneof(fc.jsonValue(), text);
  if (schema.type !== 'object') return anything;
  const members = Object.keys(schema.properties ?? {});
  const edited = fc
    .tuple(
      fits(schema),
      fc.constantFrom(...members, '__proto__', 'constructor', 'unknown'),
      fc.option(anything),
    )
    .map(([value, name, put]) => {
      // By entries: a member called __proto__ is one to JSON.
      const entries = Object.entries(value as object).filter(([member]) => member !== name);
      return put === null
        ? Object.fromEntries(entries)
        : Object.fromEntries([...entries, [name, put]]);
    });
  const deep = members
    .filter((name) => resolve(schema.properties?.[name] ?? {}).items)
    .map((name) =>
      fc
        .array(breaks(resolve(schema.properties?.[name] ?? {}).items ?? {}), { maxLength: 4 })
        .map((items) => ({ [name]: items })),
    );
  return fc.oneof(anything, edited, ...deep);
}

function parameterText(
  { schema, in: place }: Parameter,
  codes: readonly string[],
): fc.Arbitrary<string> {
  const good = fits(schema).map(String);
  if (place === 'path')
    // Mostly links that are there: what is behind the 404 is of interest.
    return fc
      .oneof({ weight: 3, arbitrary: fc.constantFrom(...codes) }, good, {
        weight: 2,
        arbitrary: text,
      })
      .map((code) => (code === '' ? 'x' : code));
  if (place === 'header')
    return fc.oneof(good, fc.stringMatching(/^[\t -~]{0,30}$/)).map((value) => value.trim());
  return fc.oneof(
    { weight: 3, arbitrary: good },
    text,
    dateTime,
    fc.constantFrom('0', '-1', '101', '1.5', 'png', 'csv'),
  );
}

/** Requests of an operation, valid and invalid ones, to links of which `codes` are there. */
export function requestsOf(
  { method, path, operation }: NamedOperation,
  codes: readonly string[],
): fc.Arbitrary<GeneratedRequest> {
  const parameters = operation.parameters ?? [];
  const values = fc.record(
    Object.fromEntries(
      parameters.map((parameter) => [parameter.name, parameterText(parameter, codes)]),
    ),
    { requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name) },
  ) as fc.Arbitrary<Record<string, string>>;
  return fc
    .tuple(
      values,
      bodyOf(operation.requestBody?.content),
      fc.option(fc.tuple(text, text), { freq: 9 }),
    )
    .map(([given, { body, mediaType }, unknown]) => {
      const query = new URLSearchParams(unknown ? [unknown] : []);
      const headers: Record<string, string> = {
        accept: 'application/json',
        ...(mediaType === undefined ? {} : { 'content-type': mediaType }),
      };
      let filled = path;
      for (const { name, in: place } of parameters) {
        const value = given[name];
        if (value === undefined) continue;
        if (place === 'path') filled = filled.replace(`{${name}}`, encodeSegment(value));
        else if (place === 'query') query.append(name, wellFormed(value));
        else headers[name.toLowerCase()] = value;
      }
      const search = query.size > 0 ? `?${query}` : '';
      return { method, path: filled + search, headers, ...(body === undefined ? {} : { body }) };
    });
}

/** Half a surrogate pair cannot be sent in UTF-8. */
function wellFormed(value: string): string {
  return Buffer.from(value).toString();
}

/** A dot segment would be resolved by the client, and ask for another path. */
function encodeSegment(value: string): string {
  const encoded = encodeURIComponent(wellFormed(value));
  return /^\.{1,2}$/.test(encoded) ? 'dots' : encoded;
}

function bodyOf(
  content: Readonly<Record<string, { readonly schema?: Schema }>> | undefined,
): fc.Arbitrary<{ body?: string; mediaType?: string }> {
  if (!content) return fc.constant({});
  const json = content['application/json']?.schema ?? {};
  const asText = (value: unknown) => ({
    body: JSON.stringify(value) ?? '',
    mediaType: 'application/json',
  });
  const row = fc.array(text, { maxLength: 5 }).map((cells) => cells.join(','));
  const csv = fc
    .tuple(
      fc.constantFrom('longUrl', 'longUrl,code,expiresAt', 'longUrl,x', ''),
      fc.array(row, { maxLength: 4 }),
    )
    .map(([head, rows]) => ({ body: [head, ...rows].join('\n'), mediaType: 'text/csv' }));
  return fc.oneof(
    { weight: 5, arbitrary: fits(json).map(asText) },
    { weight: 4, arbitrary: breaks(json).map(asText) },
    { weight: 1, arbitrary: text.map((body) => ({ body, mediaType: 'application/json' })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          text,
          fc.constantFrom(
            'text/plain',
            'text/html',
            'application/xml',
            'json',
            'multipart/form-data',
          ),
        )
        .map(([body, mediaType]) => ({ body, mediaType })),
    },
    ...('text/csv' in content ? [{ weight: 3, arbitrary: csv }] : []),
  );
}
