import { type Decision, definePolicy, type Policy, type Window } from '@gatepost/limiter-core';
import { parseList } from 'structured-headers';
import {
  policyField,
  rateLimitHeaders,
  retryAfterSeconds,
  undecidedHeaders,
} from './rate-limit-headers.ts';

const policy = definePolicy('', { second: { limit: 10, burst: 100 }, minute: { limit: 60 } });
const create = definePolicy('create', { day: { limit: 1_000 } });
const reading = (of: Policy, index: number, tokens: number) => ({
  policy: of,
  window: of.windows[index] as Window,
  tokens,
});
const fieldsOf = (headers: readonly string[]) => {
  const fields: Record<string, string> = {};
  for (let index = 0; index < headers.length; index += 2)
    fields[headers[index] as string] = headers[index + 1] as string;
  return fields;
};
const NOW = 1_800_000_000_250;
const allowed = (tokens: number, index = 0): Decision => ({
  kind: 'allowed',
  decidedAtMs: NOW,
  reported: reading(policy, index, tokens),
});
const refused = (tokens: number, waitMs: number): Decision => ({
  ...allowed(tokens, 1),
  kind: 'refused',
  waitMs,
  refusing: [reading(policy, 1, tokens)],
});

describe('RateLimit-Policy', () => {
  it('names each bucket with its capacity and the seconds in which it fills', () => {
    expect(policyField([policy, create])).toBe(
      '"second";q=100;w=10, "minute";q=60;w=60, "create-day";q=1000;w=86400',
    );
  });

  it('is a structured field that a parser of others reads', () => {
    expect(parseList(policyField([policy, create]))).toEqual([
      [
        'second',
        new Map([
          ['q', 100],
          ['w', 10],
        ]),
      ],
      [
        'minute',
        new Map([
          ['q', 60],
          ['w', 60],
        ]),
      ],
      [
        'create-day',
        new Map([
          ['q', 1_000],
          ['w', 86_400],
        ]),
      ],
    ]);
  });

  it('never says a window of 0 seconds or a broken number', () => {
    const odd = definePolicy('', {
      second: { limit: 1_000, burst: 1 },
      day: { limit: 0.5, burst: 1.5 },
    });
    expect(policyField([odd])).toBe('"second";q=1;w=1, "day";q=1;w=259200');
  });
});

describe('fields of a decision', () => {
  it.each([
    ['a full bucket', 100, '100', 1_800_000_001, '"second";r=100'],
    ['one token gone', 99, '99', 1_800_000_001, '"second";r=99;t=1'],
    ['a fraction counts as nothing', 98.7, '98', 1_800_000_001, '"second";r=98;t=1'],
    ['a hair below a token counts as one', 97.9999999999, '98', 1_800_000_001, '"second";r=98;t=1'],
    ['empty', 0, '0', 1_800_000_011, '"second";r=0;t=1'],
  ])('%s', (_title, tokens, remaining, reset, rateLimit) => {
    expect(fieldsOf(rateLimitHeaders(allowed(tokens), '"p"', 0))).toEqual({
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': remaining,
      'X-RateLimit-Reset': String(reset),
      'RateLimit-Policy': '"p"',
      RateLimit: rateLimit,
    });
  });

  it('tell the reset to the second, rounded up, by the time of the store', () => {
    const at = (tokens: number) =>
      fieldsOf(rateLimitHeaders(allowed(tokens, 1), '', 0))['X-RateLimit-Reset'];
    expect(at(60)).toBe('1800000001');
    expect(at(59.25)).toBe('1800000001');
    expect(at(59.24)).toBe('1800000002');
    expect(at(0)).toBe('1800000061');
  });

  it('tell in whole seconds when there is more', () => {
    const slow = (tokens: number) => {
      const decision: Decision = {
        kind: 'allowed',
        decidedAtMs: NOW,
        reported: reading(create, 0, tokens),
      };
      return fieldsOf(rateLimitHeaders(decision, '', 0))['RateLimit'];
    };
    expect(slow(999)).toBe('"create-day";r=999;t=87');
    expect(slow(999.5)).toBe('"create-day";r=999;t=44');
    expect(parseList(slow(5) as string)).toEqual([
      [
        'create-day',
        new Map([
          ['r', 5],
          ['t', 87],
        ]),
      ],
    ]);
  });

  it('of a refusal say when to come back', () => {
    const fields = fieldsOf(rateLimitHeaders(refused(0.5, 500), '', 0));
    expect(fields).toMatchObject({
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '0',
      RateLimit: '"minute";r=0;t=1',
      'Retry-After': '1',
    });
  });
});

describe('Retry-After', () => {
  it.each([
    [0.001, 1],
    [999, 1],
    [1_000, 1],
    [1_000.0000000001, 1],
    [1_001, 2],
    [30_000, 30],
    [86_400_000, 86_400],
  ])('after a wait of %d ms is %d s', (waitMs, seconds) => {
    expect(retryAfterSeconds(waitMs, 0)).toBe(seconds);
  });

  it('is only ever lengthened by jitter: a tenth of the wait, 5 s at most', () => {
    expect(retryAfterSeconds(30_000, 0.999)).toBe(33);
    expect(retryAfterSeconds(600_000, 0.999)).toBe(605);
    expect(retryAfterSeconds(100, 0.999)).toBe(1);
    for (let jitter = 0; jitter < 1; jitter += 0.1)
      expect(retryAfterSeconds(12_345, jitter) * 1_000).toBeGreaterThanOrEqual(12_345);
  });

  it('is never before the time that RateLimit names for one token', () => {
    for (const tokens of [0, 0.2, 0.999])
      for (const limit of [0.7, 1, 59, 100]) {
        const slow = definePolicy('', { minute: { limit, burst: 2 } });
        const [window] = slow.windows as [Window];
        const waitMs = ((1 - tokens) / window.refillPerSecond) * 1_000;
        const decision: Decision = {
          kind: 'refused',
          decidedAtMs: NOW,
          reported: reading(slow, 0, tokens),
          waitMs,
          refusing: [],
        };
        const fields = fieldsOf(rateLimitHeaders(decision, '', 0));
        const [[, parameters]] = parseList(fields['RateLimit'] as string) as [
          [string, Map<string, number>],
        ];
        expect(Number(fields['Retry-After'])).toBeGreaterThanOrEqual(parameters.get('t') as number);
      }
  });
});

describe('fields where nothing was counted', () => {
  const [window] = policy.windows as [Window];

  it('say that all is left', () => {
    expect(fieldsOf(undecidedHeaders(window, 'second', '"p"', NOW))).toEqual({
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': '100',
      'X-RateLimit-Reset': '1800000001',
      'RateLimit-Policy': '"p"',
      RateLimit: '"second";r=100',
    });
  });

  it('say that nothing is left until the store is back', () => {
    expect(fieldsOf(undecidedHeaders(window, 'second', '"p"', NOW, 2))).toMatchObject({
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '1800000003',
      RateLimit: '"second";r=0;t=2',
      'Retry-After': '2',
    });
  });
});
