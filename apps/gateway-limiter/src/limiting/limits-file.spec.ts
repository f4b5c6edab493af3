import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { DefinitionRefused } from '../definition-file.ts';
import { hostileEdits } from '../testing/hostile-edits.ts';
import { parseLimits } from './limits-file.ts';
import { LimitBook } from './policies.ts';

const GOOD = `
tiers:
  anonymous: { second: { limit: 50, burst: 100 }, minute: 1000 }
  free: { minute: 3000 }
rules:
  - name: create
    match: [POST /shorten, { request: "POST /links/bulk", cost: 100, host: API.example }]
    limits: { default: { minute: 300 } }
    outage: closed
keys:
  - { name: acme, tier: free, sha256: ${'ab'.repeat(32)} }
allow: ["key:acme", 10.0.0.0/8]
`;

const faultsOf = (text: string): readonly string[] => {
  try {
    parseLimits('limits.yaml', text);
    return [];
  } catch (error) {
    return (error as DefinitionRefused).faults;
  }
};

describe('limits file', () => {
  it('reads YAML with its short forms', () => {
    expect(parseLimits('limits.yaml', GOOD)).toMatchObject({
      tiers: { anonymous: { second: { limit: 50, burst: 100 }, minute: { limit: 1_000 } } },
      rules: [
        {
          match: [
            { request: 'POST /shorten' },
            { request: 'POST /links/bulk', cost: 100, host: 'api.example' },
          ],
          cost: 1,
          shadow: false,
        },
      ],
      shadow: false,
    });
  });

  it('reads JSON', () => {
    const json = JSON.stringify({ tiers: { anonymous: { day: 1 }, free: { day: 2 } } });
    expect(parseLimits('limits.json', json).tiers['free']).toEqual({ day: { limit: 2 } });
  });

  it('names all faults at once', () => {
    const faults = faultsOf(`
tiers:
  anonymous: { second: 0, fortnight: 3 }
  gold: {}
rules:
  - { name: Create, match: [shorten], limits: { silver: { minute: 1 } } }
  - { name: b, match: [], outage: maybe, cots: 3 }
keys: [{ name: a, tier: free, sha256: plain-text }]
`);
    expect(faults.join('\n')).toMatch(/tiers\.anonymous\.second/);
    for (const part of [
      'fortnight',
      'tiers.gold',
      'rules.0.name',
      'rules.0.match.0',
      'rules.1.match',
      'rules.1.outage',
      'cots',
      'keys.0.sha256',
    ])
      expect(faults.join('\n')).toContain(part);
  });

  it.each([
    ['a tier that is missing', 'tiers: { anonymous: { day: 1 } }', 'needs the tier "free"'],
    ['a switch that is neither true nor false', `${GOOD}shadow: 1`, 'shadow'],
    [
      'two rules of one name',
      GOOD.replace('keys:', '  - { name: create, match: ["* /"] }\nkeys:'),
      'taken by another rule',
    ],
    [
      'a key of a tier that is none',
      GOOD.replace('tier: free, sha', 'tier: gold, sha'),
      'keys.0.tier: is not one of the tiers',
    ],
    [
      'limits for a tier that is none',
      GOOD.replace('default: {', 'gold: {'),
      'rules.0.limits.gold: is not one of the tiers',
    ],
    [
      'a list entry that is neither caller nor network',
      `${GOOD}deny: [10.0.0.0/40, somebody]`,
      'deny.1: "somebody"',
    ],
    [
      'room for less than one token',
      GOOD.replace('minute: 3000', 'day: 0.5'),
      'tiers.free.day: must leave room',
    ],
    ['broken YAML', 'tiers: {', 'line 1'],
    ['an empty file', '', 'file: '],
  ])('refuses %s', (_title, text, fault) => {
    expect(faultsOf(text).join('\n')).toContain(fault);
  });
});

describe('any limits file', () => {
  it('is refused with its faults, or limits every request', () => {
    fc.assert(
      fc.property(hostileEdits(GOOD), (text) => {
        let limits: ReturnType<typeof parseLimits>;
        try {
          limits = parseLimits('limits.yaml', text);
        } catch (error) {
          expect(error).toBeInstanceOf(DefinitionRefused);
          expect((error as DefinitionRefused).faults.join('')).not.toBe('');
          return;
        }
        const book = new LimitBook(limits, 'open');
        for (const tier of ['anonymous', 'free', 'none'])
          for (const path of ['/', '/shorten', '/links/bulk']) {
            const { enforced, shadows } = book.plan(
              book.setOf(tier),
              undefined,
              book.match('POST', 'api.example', path),
            );
            for (const { cost, policy } of [...enforced, ...shadows.flat()]) {
              expect(cost).toBeGreaterThan(0);
              for (const window of policy.windows) {
                expect(window.capacity).toBeGreaterThanOrEqual(1);
                expect(window.refillPerSecond).toBeGreaterThan(0);
              }
            }
          }
      }),
      runs(400),
    );
  });
});
