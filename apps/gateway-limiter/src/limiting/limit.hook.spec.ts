import {
  type LimitOverride,
  type LimitsDefinitionInput,
  limitsDefinition,
} from '@gatepost/contracts';
import { MemoryBucketStore } from '@gatepost/limiter-core';
import { Registry } from 'prom-client';
import { NO_TOKENS } from '../identity/bearer-verifier.ts';
import { CallerIdentifier } from '../identity/caller-identifier.ts';
import { credentialDigest } from '../identity/keyed-hash.ts';
import { createLimiter } from './limit.hook.ts';
import type { LimitVerdict, RequestFacts } from './limit-verdict.ts';
import { LimiterSignals } from './limiter-signals.ts';
import { LimitsInForce } from './limits-in-force.ts';
import { LocalLimits } from './local-limits.ts';
import type { OutagePolicy } from './outage.ts';
import { LimitBook } from './policies.ts';

const TIERS = { anonymous: { minute: 3 }, free: { minute: 5 }, paid: { minute: 50 } };
const CREATE = {
  name: 'create',
  match: ['POST /shorten'],
  limits: { anonymous: { minute: 1 }, default: { minute: 2 } },
};

function openLimiter(input: Partial<LimitsDefinitionInput> = {}, outage: OutagePolicy = 'open') {
  let nowUs = 1_800_000_000_000_000;
  const clock = () => nowUs;
  const definition = limitsDefinition.parse({ tiers: TIERS, ...input });
  const overrides = new Map<string, LimitOverride>();
  const store = new MemoryBucketStore({ nowUs: clock, capacity: 10_000 });
  const registry = new Registry();
  const logged: object[] = [];
  const state = { isAway: false };
  const limits = new LimitsInForce(
    new LimitBook(definition, outage),
    (caller) => overrides.get(caller),
    () => nowUs / 1_000,
  );
  const keys = new Map([
    [credentialDigest('acme-key'), { name: 'acme', tier: 'paid' }],
    [credentialDigest('bolt-key'), { name: 'bolt', tier: 'free' }],
  ]);
  const limit = createLimiter({
    identifier: new CallerIdentifier({
      secret: 'secret',
      findKey: (digest) => keys.get(digest),
      verifier: NO_TOKENS,
      ipv6PrefixBits: 64,
      nowUs: clock,
    }),
    limits,
    take: async (request) => (state.isAway ? undefined : store.decide(request)),
    local: new LocalLimits({ nowUs: clock, capacity: 100, liveWorkers: () => 1 }),
    signals: new LimiterSignals(registry, { warn: (fields) => logged.push(fields) }),
    nowMs: () => nowUs / 1_000,
    random: () => 0,
  });
  return {
    state,
    overrides,
    limits,
    logged,
    registry,
    pass: (ms: number) => {
      nowUs += ms * 1_000;
    },
    ask: (facts: Partial<RequestFacts> = {}): Promise<LimitVerdict> =>
      limit({
        kind: 'request',
        method: 'GET',
        host: 'localhost',
        path: '/abc1234',
        headers: {},
        clientAddress: '192.0.2.1',
        ...facts,
      }),
  };
}

const fieldOf = ({ headers }: LimitVerdict, name: string) => headers[headers.indexOf(name) + 1];
const key = (value: string) => ({ headers: { 'x-api-key': value } });

describe('limiter', () => {
  it('admits what is within the limits and says what is left', async () => {
    const { ask } = openLimiter();
    const verdict = await ask();
    expect(verdict).toMatchObject({
      kind: 'admit',
      strip: [],
      caller: { kind: 'address', tier: 'anonymous' },
    });
    expect(fieldOf(verdict, 'X-RateLimit-Remaining')).toBe('2');
  });

  it('refuses what is beyond, with the reason, and admits again when it said it would', async () => {
    const { ask, pass } = openLimiter();
    for (let index = 0; index < 3; index++) await ask();
    const refused = await ask();
    expect(refused).toMatchObject({
      kind: 'refuse',
      status: 429,
      problem: {
        code: 'quota-exceeded',
        detail: 'The quota "minute" is used up. Try again in 20 s.',
        extensions: { 'violated-policies': ['minute'] },
      },
    });
    expect(fieldOf(refused, 'Retry-After')).toBe('20');
    pass(20_000);
    expect((await ask()).kind).toBe('admit');
  });

  it('limits each caller for itself', async () => {
    const { ask } = openLimiter();
    for (let index = 0; index < 4; index++) await ask();
    expect((await ask({ clientAddress: '192.0.2.2' })).kind).toBe('admit');
    expect((await ask(key('acme-key'))).kind).toBe('admit');
    expect((await ask()).kind).toBe('refuse');
  });

  it('strips a configured key and lets every other credential pass', async () => {
    const { ask } = openLimiter();
    expect(await ask(key('acme-key'))).toMatchObject({
      strip: ['x-api-key'],
      caller: { label: 'acme', tier: 'paid' },
    });
    expect(await ask(key('rubbish'))).toMatchObject({
      strip: [],
      caller: { kind: 'unknown', tier: 'free' },
    });
  });

  it('sells no more requests to who invents keys: all of them draw on one address', async () => {
    const { ask } = openLimiter();
    const verdicts = [];
    for (let index = 0; index < 10; index++) verdicts.push(await ask(key(`invented-${index}`)));
    expect(verdicts.map(({ kind }) => kind)).toEqual([
      ...Array(3).fill('admit'),
      ...Array(7).fill('refuse'),
    ]);
    const last = verdicts.at(-1) as LimitVerdict;
    expect(last).toMatchObject({
      problem: { extensions: { 'violated-policies': ['address-minute'] } },
    });
  });

  it('refuses under a rule and draws nothing elsewhere', async () => {
    const { ask } = openLimiter({ rules: [CREATE] });
    const create = { method: 'POST', path: '/shorten', ...key('bolt-key') };
    await ask(create);
    await ask(create);
    expect(await ask(create)).toMatchObject({
      kind: 'refuse',
      problem: { extensions: { 'violated-policies': ['create-minute'] } },
    });
    expect(fieldOf(await ask(key('bolt-key')), 'X-RateLimit-Remaining')).toBe('2');
  });

  it('charges nothing for a CORS preflight, and carries the fields all the same', async () => {
    const { ask } = openLimiter();
    const preflight = {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    };
    for (let index = 0; index < 5; index++) {
      const verdict = await ask(preflight);
      expect(verdict.kind).toBe('admit');
      expect(fieldOf(verdict, 'X-RateLimit-Remaining')).toBe('3');
    }
    await ask({ method: 'OPTIONS', headers: { origin: 'https://app.example' } });
    expect(fieldOf(await ask(preflight), 'X-RateLimit-Remaining')).toBe('2');
  });

  it('charges upgrades and what could not be parsed', async () => {
    const { ask } = openLimiter();
    await ask({ kind: 'upgrade' });
    const unparsed = {
      kind: 'unparsed',
      method: '',
      path: '',
      host: '',
      ...key('acme-key'),
    } as const;
    const verdict = await ask(unparsed);
    expect(verdict.caller.kind).toBe('address');
    expect(fieldOf(verdict, 'X-RateLimit-Remaining')).toBe('1');
  });

  it('applies an override from the next request on, until it expires', async () => {
    const { ask, overrides, pass } = openLimiter();
    await ask(key('bolt-key'));
    overrides.set('key:bolt', {
      caller: 'key:bolt',
      limits: { minute: { limit: 60, burst: 20 } },
      expiresAt: new Date(1_800_000_000_000 + 10_000).toISOString(),
    });
    expect(fieldOf(await ask(key('bolt-key')), 'X-RateLimit-Remaining')).toBe('18');
    pass(10_000);
    expect(fieldOf(await ask(key('bolt-key')), 'X-RateLimit-Limit')).toBe('5');
  });

  describe('lists', () => {
    it.each([
      ['a key', ['key:acme'], key('acme-key'), true],
      ['a network', ['192.0.2.0/24'], {}, true],
      ['a network, whoever speaks from it', ['192.0.2.0/24'], key('acme-key'), true],
      ['another key', ['key:bolt'], key('acme-key'), false],
      ['another network', ['198.51.100.0/24'], {}, false],
    ])('of %s', async (_title, entries, facts, isListed) => {
      const allowed = openLimiter({ allow: entries });
      const all = await Promise.all(Array.from({ length: 200 }, () => allowed.ask(facts)));
      expect(all.every(({ kind }) => kind === 'admit')).toBe(isListed);
      const denied = await openLimiter({ deny: entries }).ask(facts);
      expect(denied.kind === 'refuse' && denied.status === 403).toBe(isListed);
    });

    it('of both kinds: to deny counts more than to allow', async () => {
      const { ask } = openLimiter({ allow: ['key:acme'], deny: ['192.0.2.1'] });
      expect(await ask(key('acme-key'))).toMatchObject({
        status: 403,
        problem: { code: 'caller-denied' },
      });
    });

    it('let a key that is allowed not go on to the upstream', async () => {
      const { ask } = openLimiter({ allow: ['key:acme'] });
      expect(await ask(key('acme-key'))).toMatchObject({ strip: ['x-api-key'] });
    });
  });

  describe('shadow mode', () => {
    it('of a rule refuses nobody, counts whom it would have refused, and leaves the fields to the others', async () => {
      const { ask, registry } = openLimiter({ rules: [{ ...CREATE, shadow: true }] });
      const create = { method: 'POST', path: '/shorten', ...key('acme-key') };
      for (let index = 0; index < 5; index++) {
        const verdict = await ask(create);
        expect(verdict.kind).toBe('admit');
        expect(fieldOf(verdict, 'X-RateLimit-Remaining')).toBe(String(49 - index));
      }
      expect(await registry.metrics()).toContain(
        'rate_limit_shadow_rejected_total{rule="create",tier="paid"} 3',
      );
    });

    it('of everything refuses nobody and shows what would be left', async () => {
      const { ask, registry } = openLimiter({ shadow: true });
      const verdicts = [];
      for (let index = 0; index < 5; index++) verdicts.push(await ask());
      expect(verdicts.every(({ kind }) => kind === 'admit')).toBe(true);
      expect(fieldOf(verdicts[4] as LimitVerdict, 'X-RateLimit-Remaining')).toBe('0');
      expect(verdicts[4]?.headers).not.toContain('Retry-After');
      expect(await registry.metrics()).toContain(
        'rate_limit_shadow_rejected_total{rule="tier",tier="anonymous"} 2',
      );
    });
  });

  describe('while the store is away', () => {
    it('open: forwards all and says that all is left', async () => {
      const { ask, state } = openLimiter({}, 'open');
      state.isAway = true;
      for (let index = 0; index < 10; index++) {
        const verdict = await ask();
        expect(verdict.kind).toBe('admit');
        expect(fieldOf(verdict, 'X-RateLimit-Remaining')).toBe('3');
        expect(fieldOf(verdict, 'X-RateLimit-Reset')).toBe('1800000000');
      }
    });

    it('closed: answers 503 with Retry-After and nothing left', async () => {
      const { ask, state } = openLimiter({}, 'closed');
      state.isAway = true;
      const verdict = await ask();
      expect(verdict).toMatchObject({
        kind: 'unavailable',
        status: 503,
        problem: { code: 'limiter-unavailable' },
      });
      expect(fieldOf(verdict, 'X-RateLimit-Remaining')).toBe('0');
      expect(Number(fieldOf(verdict, 'Retry-After'))).toBeGreaterThanOrEqual(1);
    });

    it('local: limits in process, and by the store again when it is back', async () => {
      const { ask, state } = openLimiter({}, 'local');
      await ask();
      state.isAway = true;
      const kinds = [];
      for (let index = 0; index < 4; index++) kinds.push((await ask()).kind);
      expect(kinds).toEqual(['admit', 'admit', 'admit', 'refuse']);
      state.isAway = false;
      expect(fieldOf(await ask(), 'X-RateLimit-Remaining')).toBe('1');
    });

    it('a rule may be stricter than the deployment', async () => {
      const { ask, state } = openLimiter({ rules: [{ ...CREATE, outage: 'closed' }] }, 'open');
      state.isAway = true;
      expect((await ask()).kind).toBe('admit');
      expect((await ask({ method: 'POST', path: '/shorten' })).kind).toBe('unavailable');
    });

    it('what only runs along closes nothing', async () => {
      const { ask, state } = openLimiter({ shadow: true }, 'closed');
      state.isAway = true;
      expect((await ask()).kind).toBe('admit');
    });
  });

  it('counts and logs each rejection without saying who it is', async () => {
    const { ask, logged, registry } = openLimiter();
    for (let index = 0; index < 5; index++) await ask();
    expect(logged).toHaveLength(2);
    expect(logged[0]).toEqual({
      caller: expect.stringMatching(/^[\w-]{10}$/),
      kind: 'address',
      tier: 'anonymous',
      bucket: 'minute',
      waitMs: 20_000,
    });
    const metrics = await registry.metrics();
    expect(metrics).toContain('rate_limit_rejected_total{key="address",tier="anonymous"} 2');
    expect(metrics).toContain('rate_limit_decisions_total{outcome="allowed",tier="anonymous"} 3');
    expect(metrics).toContain('rate_limit_decision_duration_seconds_count 5');
    expect(metrics).toContain(
      'rate_limit_bucket_fill_ratio_count{tier="anonymous",bucket="minute"} 5',
    );
    expect(metrics).not.toContain('192.0.2.1');
  });

  it('puts another definition in force without forgetting what was used', async () => {
    const { ask, limits } = openLimiter();
    await ask();
    limits.replace(
      new LimitBook(
        limitsDefinition.parse({ tiers: { ...TIERS, anonymous: { minute: 30 } } }),
        'open',
      ),
    );
    expect(fieldOf(await ask(), 'X-RateLimit-Remaining')).toBe('28');
  });
});
