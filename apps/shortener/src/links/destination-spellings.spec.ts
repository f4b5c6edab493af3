import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { addLine, Blocklist, emptyEntries } from '../safety/blocklist.ts';
import { isGlobalUnicast } from '../safety/global-address.ts';
import { parseDestination } from './destination.ts';

// The host is known, how it is spelt is up to chance: whoever knows the one must reach the same verdict, whatever the other.

const OWN = 'go.example.com';
const rules = { publicUrl: `https://${OWN}`, allowPrivate: false };
const judge = (text: string) => parseDestination(text, rules);

/** One of several spellings of each character, by the choices in turn. */
function respell(text: string, choices: readonly number[], spell: (character: string) => string[]) {
  return [...text]
    .map((character, index) => {
      const spellings = [character, ...spell(character)];
      return spellings[(choices[index % choices.length] ?? 0) % spellings.length];
    })
    .join('');
}

const percent = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;

/** What the domain-to-ASCII step of WHATWG maps to the same character. */
function sameInHosts(character: string): string[] {
  const wide = String.fromCodePoint((character.codePointAt(0) ?? 0) + 0xfee0);
  if (character === '.') return ['。', '．', '｡', percent('.')];
  // A soft hyphen is mapped to nothing.
  if (/[a-z]/.test(character))
    return [character.toUpperCase(), wide, percent(character), `${character}\u00ad`];
  if (/\d/.test(character)) return [wide, percent(character)];
  return [];
}

const choices = fc.array(fc.nat(20), { minLength: 1, maxLength: 40 });
const scheme = fc.constantFrom(
  'http://',
  'https://',
  'HTTP://',
  'hTTps://',
  'https:///',
  'http://\\',
);
const tail = fc.constantFrom('', '/', ':8080/x', '/latest/meta-data/', '?a=b', '#x', ':0/', '\\x');
const dot = fc.constantFrom('', '.');

/** Like inet_aton reads them: decimal, octal or hexadecimal, the last part for all that are left out. */
const ipv4Spelling = (bytes: readonly number[]) =>
  fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }))
    .map(([count, bases]) => {
      const last = bytes.slice(count - 1).reduce((sum, byte) => sum * 256 + byte, 0);
      return [...bytes.slice(0, count - 1), last]
        .map((part, index) => {
          if (bases[index] === 1) return `0${part.toString(8)}`;
          if (bases[index] === 2) return `0x${part.toString(16)}`;
          return bases[index] === 3 ? `0X000${part.toString(16).toUpperCase()}` : String(part);
        })
        .join('.');
    });

const byte = fc.nat(255);
const ipv4 = fc.oneof(
  fc.tuple(byte, byte, byte, byte),
  fc.tuple(fc.constantFrom(0, 10, 127, 100, 169, 172, 192, 198, 203, 224, 255), byte, byte, byte),
  fc.constantFrom<[number, number, number, number]>(
    [127, 0, 0, 1],
    [169, 254, 169, 254],
    [192, 168, 0, 1],
    [8, 8, 8, 8],
  ),
);
/** An address and one of its spellings. */
const spelt = ipv4.chain((bytes) =>
  fc.record({
    address: fc.constant(bytes.join('.')),
    host: fc
      .tuple(ipv4Spelling(bytes), choices, dot)
      .map(([text, picks, end]) => respell(text, picks, sameInHosts) + end),
  }),
);

/** IPv6 groups that carry an IPv4 address, and some that do not. */
const ipv6 = fc.oneof(
  ...[
    (high: string, low: string) => `::ffff:${high}:${low}`,
    (high: string, low: string) => `0:0:0:0:0:FFFF:${high}:${low}`,
    (high: string, low: string) => `::${high}:${low}`,
    (high: string, low: string) => `64:ff9b::${high}:${low}`,
    (high: string, low: string) => `64:FF9B:1::${high}:${low}`,
    (high: string, low: string) => `2002:${high}:${low}::1`,
    (high: string, low: string) => `2001:0:${high}:${low}::`,
    (high: string, low: string) => `::ffff:0:${high}:${low}`,
    (high: string, low: string) => `fe80::${high}:${low}`,
    (high: string, low: string) => `fd00::${high}:${low}`,
    (high: string, low: string) => `ff02::${high}:${low}`,
    (high: string, low: string) => `2001:db8::${high}:${low}`,
  ].map((build) =>
    fc
      .tuple(fc.nat(0xffff), fc.nat(0xffff), fc.boolean())
      .map(([high, low, padded]) =>
        build(
          high.toString(16).padStart(padded ? 4 : 1, '0'),
          low.toString(16).padStart(padded ? 4 : 1, '0'),
        ),
      ),
  ),
);

const NAMES = ['app.localhost', 'printer.local', 'metadata.google.internal', 'nas.home.arpa'];
const LISTED = ['evil.example', 'phish.example.org'];

describe('a destination is judged by its host, not by the spelling of it', () => {
  it('an IPv4 address: accepted as dotted decimals exactly where it is public', () => {
    fc.assert(
      fc.property(scheme, spelt, tail, (begin, { address, host }, end) => {
        const destination = judge(begin + host + end);
        expect(destination.ok).toBe(isGlobalUnicast(address));
        // Written by somebody else; it knows fewer of the special-purpose blocks.
        if (ipaddr.parse(address).range() !== 'unicast') expect(destination.ok).toBe(false);
        if (destination.ok) expect(destination.url.hostname).toBe(address);
        else expect(destination.fault).toBe('must point to a public address');
      }),
      runs(5_000),
    );
  });

  it('an IPv6 address that is local, or carries an IPv4 address: refused', () => {
    fc.assert(
      fc.property(scheme, ipv6, fc.boolean(), tail, (begin, address, upper, end) => {
        const host = `[${upper ? address.toUpperCase() : address}]`;
        expect(judge(begin + host + end).ok).toBe(false);
      }),
      runs(2_000),
    );
  });

  it('a name of a local network, this service, and what is listed: refused', () => {
    const entries = emptyEntries();
    for (const name of LISTED) addLine(entries, `||${name}^`);
    const blocklist = new Blocklist();
    blocklist.replace(entries);
    fc.assert(
      fc.property(
        scheme,
        fc.constantFrom(OWN, 'localhost', ...NAMES, ...LISTED),
        choices,
        dot,
        fc.constantFrom('', '/', '/abc1234', '?a=b', '#x'),
        (begin, name, picks, end, rest) => {
          const destination = judge(begin + respell(name, picks, sameInHosts) + end + rest);
          if (!LISTED.includes(name)) expect(destination.ok).toBe(false);
          else if (destination.ok)
            expect(blocklist.find(destination.url.href)).toMatch(/is on a blocklist/);
        },
      ),
      runs(3_000),
    );
  });

  it('credentials and other schemes: refused before any public host', () => {
    const piece = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.oneof(
          fc
            .tuple(piece, piece)
            .map(
              ([user, secret]) =>
                `https://${encodeURIComponent(user)}:${encodeURIComponent(secret)}@`,
            ),
          piece.map((user) => `http://${encodeURIComponent(user)}@`),
          fc
            .constantFrom(
              'ftp',
              'file',
              'javascript',
              'data',
              'ws',
              'gopher',
              'blob:https',
              'view-source:http',
              'httpx',
              'htt',
              '',
            )
            .map((name) => `${name}://`),
          fc.constantFrom(
            'https:',
            'http:/',
            '//',
            '\\\\',
            'https:\\\\',
            ' https://',
            '\u00a0http://',
            '\ufeffhttps://',
          ),
        ),
        (begin) => {
          expect(judge(`${begin}example.org/x`).ok).toBe(false);
        },
      ),
      runs(1_000),
    );
  });
});
