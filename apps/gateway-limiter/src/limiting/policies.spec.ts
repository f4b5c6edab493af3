import {
  type LimitOverride,
  type LimitsDefinitionInput,
  limitsDefinition,
} from '@gatepost/contracts';
import { DEFAULT_LIMITS } from './default-limits.ts';
import { LimitBook, type LimitPlan } from './policies.ts';

const bookOf = (
  input: Partial<LimitsDefinitionInput>,
  outage: 'open' | 'closed' | 'local' = 'open',
) =>
  new LimitBook(
    limitsDefinition.parse({
      tiers: {
        anonymous: { minute: 10 },
        free: { minute: 100 },
        paid: { minute: 1_000, day: 9_000 },
      },
      ...input,
    }),
    outage,
  );
const drawsOf = ({ enforced }: LimitPlan) =>
  enforced.map(({ from, policy, cost }) => `${from} ${policy.name || 'tier'} ${cost}`);

describe('the built-in limits', () => {
  const book = new LimitBook(DEFAULT_LIMITS, 'open');
  const windows = (tier: string, rule: string) =>
    book
      .setOf(tier)
      .policies.get(rule)
      ?.windows.map(({ capacity, refillPerSecond }) => [capacity, refillPerSecond]);

  it.each([
    ['anonymous', '', 50, 100, 1_000, 100_000],
    ['free', '', 100, 200, 3_000, 500_000],
    ['paid', '', 1_000, 2_000, 50_000, 10_000_000],
    ['anonymous', 'create', 5, 30, 100, 2_000],
    ['free', 'create', 10, 100, 300, 20_000],
    ['paid', 'create', 10, 100, 300, 20_000],
  ])(
    'tier %s, rule "%s": %d a second (%d at once), %d a minute, %d a day',
    (tier, rule, second, burst, minute, day) => {
      expect(windows(tier, rule)).toEqual([
        [burst, second],
        [minute, minute / 60],
        [day, day / 86_400],
      ]);
    },
  );

  it.each([
    ['POST', '/shorten', ['caller tier 1', 'caller create 1']],
    ['POST', '/links/bulk', ['caller tier 1', 'caller create 100']],
    ['POST', '/links/import', ['caller tier 1', 'caller create 100']],
    ['GET', '/shorten', ['caller tier 1']],
    ['GET', '/abc1234', ['caller tier 1']],
    ['', '', ['caller tier 1']],
  ])('%s %s draws %j', (method, path, draws) => {
    const match = book.match(method, 'localhost', path);
    expect(drawsOf(book.plan(book.setOf('free'), undefined, match))).toEqual(draws);
  });

  it('makes an unknown bearer draw on its address as well, under names of their own', () => {
    const match = book.match('POST', 'localhost', '/shorten');
    const plan = book.plan(book.setOf('free'), book.setOf('anonymous'), match);
    expect(drawsOf(plan)).toEqual([
      'caller tier 1',
      'address address 1',
      'caller create 1',
      'address address-create 1',
    ]);
  });

  it('gives the same objects for the same request, for they are compared by identity', () => {
    const plan = () =>
      book.plan(book.setOf('free'), undefined, book.match('POST', 'x', '/shorten'));
    expect(plan()).toBe(plan());
  });
});

describe('rules', () => {
  it('without limits of their own raise what a request costs its tier', () => {
    const book = bookOf({
      rules: [
        { name: 'search', match: ['GET /search'], cost: 5 },
        { name: 'heavy', match: [{ request: 'GET /search', cost: 8 }] },
      ],
    });
    const draws = (path: string) =>
      drawsOf(book.plan(book.setOf('free'), undefined, book.match('GET', '', path)));
    expect(draws('/search')).toEqual(['caller tier 8']);
    expect(draws('/other')).toEqual(['caller tier 1']);
  });

  it('that name no limits for a tier do not concern it', () => {
    const book = bookOf({
      rules: [{ name: 'r', match: ['* /*'], limits: { anonymous: { second: 1 } } }],
    });
    const match = book.match('GET', '', '/');
    expect(drawsOf(book.plan(book.setOf('free'), undefined, match))).toEqual(['caller tier 1']);
    expect(drawsOf(book.plan(book.setOf('anonymous'), undefined, match))).toEqual([
      'caller tier 1',
      'caller r 1',
    ]);
  });

  it('in shadow mode run along apart from what is enforced', () => {
    const book = bookOf({
      rules: [{ name: 'r', match: ['* /*'], shadow: true, limits: { default: { second: 1 } } }],
    });
    const plan = book.plan(book.setOf('free'), undefined, book.match('GET', '', '/'));
    expect(drawsOf(plan)).toEqual(['caller tier 1']);
    expect(plan.shadows).toMatchObject([[{ rule: 'r', cost: 1 }]]);
    expect(plan.policyField).not.toContain('r-second');
  });

  it('all run along when the whole definition is in shadow mode', () => {
    const book = bookOf({ shadow: true });
    const plan = book.plan(book.setOf('free'), undefined, book.match('GET', '', '/'));
    expect(plan.enforced).toEqual([]);
    expect(plan.shadows).toHaveLength(1);
    expect(plan.policyField).toBe('"minute";q=100;w=60');
  });

  it.each([
    [['open'], 'open'],
    [['open', 'local'], 'local'],
    [['local', 'closed', 'open'], 'closed'],
    [[undefined], 'local'],
  ] as const)(
    'with outage policies %j end in %s, the deployment having "local"',
    (policies, expected) => {
      const book = bookOf(
        {
          rules: policies.map((outage, index) => ({ name: `r${index}`, match: ['* /*'], outage })),
        },
        'local',
      );
      const plan = book.plan(book.setOf('free'), undefined, book.match('GET', '', '/'));
      expect(plan.outage).toBe(expected);
    },
  );
});

describe('overrides', () => {
  const book = bookOf({
    rules: [{ name: 'r', match: ['* /*'], limits: { free: { second: 1, minute: 5 } } }],
  });
  const grant = (override: Partial<LimitOverride>, tier = 'free') => {
    const set = book.setWith({ caller: 'user:alice', ...override } as LimitOverride, tier);
    return {
      tier: set.tier,
      limits: Object.fromEntries(
        [...set.policies].map(([rule, { windows }]) => [
          rule,
          Object.fromEntries(windows.map(({ name, capacity }) => [name, capacity])),
        ]),
      ),
    };
  };

  it('put a caller into another tier', () => {
    expect(grant({ tier: 'paid' })).toEqual({
      tier: 'paid',
      limits: { '': { minute: 1_000, day: 9_000 } },
    });
  });

  it('change the windows they name and leave the others', () => {
    expect(grant({ tier: 'paid', limits: { minute: { limit: 7 } } }).limits['']).toEqual({
      minute: 7,
      day: 9_000,
    });
    expect(grant({ rules: { r: { second: { limit: 3 } } } }).limits).toEqual({
      '': { minute: 100 },
      r: { second: 3, minute: 5 },
    });
  });

  it('give a rule limits that the tier had none for', () => {
    expect(grant({ rules: { r: { day: { limit: 3 } } } }, 'paid').limits['r']).toEqual({ day: 3 });
  });

  it('fall back to "free" where the tier is no more', () => {
    expect(grant({ tier: 'gone' }).tier).toBe('free');
    expect(book.setOf('gone').tier).toBe('free');
  });
});
