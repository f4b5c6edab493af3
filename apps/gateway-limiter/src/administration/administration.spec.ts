import { limitsDefinition } from '@gatepost/contracts';
import { MemoryBucketStore } from '@gatepost/limiter-core';
import { sendProblem } from '@gatepost/problem-details';
import fastify, { type FastifyInstance } from 'fastify';
import { NO_TOKENS } from '../identity/bearer-verifier.ts';
import { CallerIdentifier } from '../identity/caller-identifier.ts';
import { credentialDigest } from '../identity/keyed-hash.ts';
import { LimitsInForce } from '../limiting/limits-in-force.ts';
import { LimitBook } from '../limiting/policies.ts';
import { Definitions } from './definitions.service.ts';
import { keyRoutes } from './keys.plugin.ts';
import { limitRoutes } from './limits.plugin.ts';
import { MemoryDefinitionStore } from './memory-definition-store.ts';

const NOW = 1_800_000_000_000;

describe('administration', () => {
  let door: FastifyInstance;
  let definitions: Definitions;
  let buckets: MemoryBucketStore;
  let limits: LimitsInForce;
  let identifier: CallerIdentifier;

  beforeEach(async () => {
    const store = new MemoryDefinitionStore();
    definitions = new Definitions({
      store,
      demoKeys: [{ name: 'demo-free', tier: 'free', key: 'demo-key-free' }],
      onTrouble: (error) => {
        throw error;
      },
    });
    const definition = limitsDefinition.parse({
      tiers: { anonymous: { minute: 10 }, free: { minute: 100 }, paid: { minute: 1_000 } },
      rules: [{ name: 'create', match: ['POST /shorten'], limits: { default: { day: 5 } } }],
      deny: ['user:mallory'],
    });
    limits = new LimitsInForce(
      new LimitBook(definition, 'open'),
      definitions.findOverride,
      () => NOW,
    );
    buckets = new MemoryBucketStore({ nowUs: () => NOW * 1_000, capacity: 100 });
    identifier = new CallerIdentifier({
      secret: 'secret',
      findKey: definitions.findKey,
      verifier: NO_TOKENS,
      ipv6PrefixBits: 64,
      nowUs: () => NOW * 1_000,
    });
    const tierOfKey = (name: string) =>
      definitions.listKeys().find((key) => key.name === name)?.tier;
    door = fastify();
    door.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
    await door.register(
      keyRoutes({
        definitions,
        store,
        hasTier: (tier) => limits.book.hasTier(tier),
        randomSecret: () => 'random-secret',
        nowMs: () => NOW,
      }),
    );
    await door.register(
      limitRoutes({
        identifier,
        limits,
        store: buckets,
        tierOfKey,
        definitions,
        definitionStore: store,
        listOffenders: async () => [
          { id: 'h', kind: 'address', tier: 'anonymous', count: 3, lastAtMs: NOW },
        ],
        origin: { source: 'built in', outage: 'open', store: 'this process' },
      }),
    );
  });
  afterEach(() => door.close());

  const ask = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) => {
    const answer = await door.inject({ method, url, ...(payload ? { payload } : {}) });
    return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
  };

  describe('POST /admin/keys', () => {
    it('201: issues a key and shows it this once', async () => {
      const { status, body } = await ask('POST', '/admin/keys', { name: 'acme', tier: 'paid' });
      expect(status).toBe(201);
      expect(body).toEqual({
        name: 'acme',
        tier: 'paid',
        source: 'issued',
        hint: 'gp_rando',
        createdAt: '2027-01-15T08:00:00.000Z',
        key: 'gp_random-secret',
      });
      expect(definitions.findKey(credentialDigest('gp_random-secret'))?.name).toBe('acme');
      const { body: list } = await ask('GET', '/admin/keys');
      expect(JSON.stringify(list)).not.toContain('random-secret');
      expect(list.items).toContainEqual({
        name: 'acme',
        tier: 'paid',
        source: 'issued',
        hint: 'gp_rando',
        createdAt: '2027-01-15T08:00:00.000Z',
      });
    });

    it.each([
      ['409: the name is taken', { name: 'demo-free', tier: 'free' }, 409, undefined],
      ['400: there is no such tier', { name: 'x', tier: 'gold' }, 400, '/tier'],
      ['400: the name is not fit', { name: 'X Y', tier: 'free' }, 400, '/name'],
      ['400: something is unknown', { name: 'x', tier: 'free', admin: true }, 400, ''],
    ])('%s', async (_title, payload, status, pointer) => {
      const answer = await ask('POST', '/admin/keys', payload);
      expect(answer.status).toBe(status);
      if (pointer !== undefined) expect(answer.body.errors[0].pointer).toBe(pointer);
    });
  });

  describe('DELETE /admin/keys/{name}', () => {
    it('204: the key is a stranger from then on', async () => {
      await ask('POST', '/admin/keys', { name: 'acme', tier: 'paid' });
      expect((await ask('DELETE', '/admin/keys/acme')).status).toBe(204);
      expect(definitions.findKey(credentialDigest('gp_random-secret'))).toBeUndefined();
    });

    it('404 for a name that is not there, 409 for a key that stands elsewhere', async () => {
      expect((await ask('DELETE', '/admin/keys/acme')).status).toBe(404);
      expect((await ask('DELETE', '/admin/keys/demo-free')).status).toBe(409);
    });
  });

  describe('/admin/limits/overrides/{caller}', () => {
    const url = '/admin/limits/overrides/user%3Aalice';

    it('200: puts other limits in force', async () => {
      const answer = await ask('PUT', url, {
        tier: 'paid',
        limits: { minute: 7 },
        rules: { create: { day: 9 } },
      });
      expect(answer).toEqual({
        status: 200,
        body: {
          caller: 'user:alice',
          tier: 'paid',
          limits: { minute: { limit: 7 } },
          rules: { create: { day: { limit: 9 } } },
        },
      });
      const { body } = await ask('GET', '/admin/limits/callers/user%3Aalice');
      expect(body).toMatchObject({
        tier: 'paid',
        buckets: [
          { rule: '', capacity: 7 },
          { rule: 'create', capacity: 9 },
        ],
      });
      expect((await ask('GET', '/admin/limits/overrides')).body.items).toHaveLength(1);
      expect((await ask('GET', '/admin/limits')).body.overrides).toHaveLength(1);
    });

    it.each([
      ['nothing to put in place', {}, ''],
      ['a tier that is none', { tier: 'gold' }, '/tier'],
      ['a rule that is none', { rules: { other: { day: 1 } } }, '/rules/other'],
      ['an expiry that is no time', { tier: 'paid', expiresAt: 'tomorrow' }, '/expiresAt'],
      ['limits of 0', { limits: { minute: 0 } }, '/limits/minute'],
    ])('400: %s', async (_title, payload, pointer) => {
      const { status, body } = await ask('PUT', url, payload);
      expect(status).toBe(400);
      expect(body.errors[0].pointer).toBe(pointer);
    });

    it('400: a caller that is none', async () => {
      expect((await ask('PUT', '/admin/limits/overrides/alice', { tier: 'paid' })).status).toBe(
        400,
      );
    });

    it('204: removes it, 404 when there is none', async () => {
      await ask('PUT', url, { tier: 'paid' });
      expect((await ask('DELETE', url)).status).toBe(204);
      expect((await ask('DELETE', url)).status).toBe(404);
    });
  });

  describe('/admin/limits/callers/{caller}', () => {
    const draw = (caller: string, cost: number) => {
      const { stem } = identifier.callerNamed(caller);
      const policy = limits.book.setOf('free').policies.get('');
      if (policy) buckets.decide([{ key: stem, policy, cost }]);
    };

    it('200: shows every bucket of a caller and draws nothing', async () => {
      draw('user:alice', 40);
      for (let index = 0; index < 3; index++) {
        const { body } = await ask('GET', '/admin/limits/callers/user%3Aalice');
        expect(body).toMatchObject({
          caller: 'user:alice',
          tier: 'free',
          buckets: [
            {
              rule: '',
              window: 'minute',
              limit: 100,
              capacity: 100,
              remaining: 60,
              fullAt: NOW / 1_000 + 24,
            },
            {
              rule: 'create',
              window: 'day',
              limit: 5,
              capacity: 5,
              remaining: 5,
              fullAt: NOW / 1_000,
            },
          ],
        });
      }
    });

    it('200: shows the tier of a key, the network of an address, and who is listed', async () => {
      const view = async (caller: string) =>
        (await ask('GET', `/admin/limits/callers/${encodeURIComponent(caller)}`)).body;
      expect(await view('key:demo-free')).toMatchObject({ tier: 'free' });
      expect(await view('address:2001:db8::1')).toMatchObject({
        caller: 'address:2001:db8::/64',
        tier: 'anonymous',
      });
      expect(await view('user:mallory')).toMatchObject({ listed: 'deny' });
    });

    it('204: fills the buckets up again', async () => {
      draw('user:alice', 40);
      expect((await ask('DELETE', '/admin/limits/callers/user%3Aalice/usage')).status).toBe(204);
      const { body } = await ask('GET', '/admin/limits/callers/user%3Aalice');
      expect(body.buckets[0].remaining).toBe(100);
    });

    it('shows all but the buckets while the store is away', async () => {
      buckets.take = () => Promise.reject(new Error('away'));
      const { status, body } = await ask('GET', '/admin/limits/callers/user%3Aalice');
      expect(status).toBe(200);
      expect(body).not.toHaveProperty('buckets');
    });
  });

  it('GET /admin/limits 200: shows what is in force, without the digests of keys', async () => {
    const { status, body } = await ask('GET', '/admin/limits');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      source: 'built in',
      outage: 'open',
      store: 'this process',
      liveWorkers: 1,
      tiers: { anonymous: { minute: { limit: 10 } } },
      deny: ['user:mallory'],
      overrides: [],
    });
    expect(body).not.toHaveProperty('keys');
  });

  it('GET /admin/limits/offenders 200: lists who was refused most', async () => {
    expect((await ask('GET', '/admin/limits/offenders')).body).toEqual({
      items: [
        {
          label: 'h',
          kind: 'address',
          tier: 'anonymous',
          rejected: 3,
          lastRejectedAt: '2027-01-15T08:00:00.000Z',
        },
      ],
    });
  });
});
