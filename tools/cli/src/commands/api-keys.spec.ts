import { HostileIssuer } from '../../test/hostile-issuer.ts';
import { Home } from '../../test/run.ts';

let door: HostileIssuer;
let home: Home;

beforeEach(async () => {
  door = await HostileIssuer.start();
  home = await Home.make({
    GATEPOST_GATEWAY_MANAGEMENT_URL: door.baseUrl,
    MANAGEMENT_TOKEN: 'operator-token-operator',
  });
});
afterEach(async () => {
  await home.remove();
  await door.stop();
});

const sent = () => door.requests.at(-1);

describe('api-keys', () => {
  const key = {
    name: 'acme',
    tier: 'paid',
    source: 'issued',
    hint: 'gp_abcde',
    createdAt: '2026-11-20T10:00:00.000Z',
  };

  it('are listed by name and tier, with the operator’s token', async () => {
    door.api.set('GET /admin/keys', () => ({ status: 200, body: { items: [key] } }));
    const { exitCode, out } = await home.run('api-keys');
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^acme +paid +issued +gp_abcde… +2026-11-20$/m);
    expect(sent()?.headers.authorization).toBe('Bearer operator-token-operator');
    expect((await home.run('api-keys list')).out).toBe(out);
  });

  it('are created and shown once, alone on standard output', async () => {
    let body: unknown;
    door.api.set('POST /admin/keys', (_, text) => {
      body = JSON.parse(text);
      return { status: 201, body: { ...key, key: 'gp_abcdefghijk' } };
    });
    const { out, err } = await home.run('api-keys create acme --tier paid');
    expect(body).toEqual({ name: 'acme', tier: 'paid' });
    expect(out).toBe('gp_abcdefghijk\n');
    expect(err).toContain('not shown again');
  });

  it('are revoked by name', async () => {
    door.api.set('DELETE /admin/keys/acme', () => ({ status: 204 }));
    expect(await home.run('api-keys revoke acme')).toEqual({
      exitCode: 0,
      out: 'Key "acme" is revoked.\n',
      err: '',
    });
  });

  it.each([
    'api-keys frobnicate',
    'api-keys create',
    'api-keys create acme',
    'api-keys list x',
    'api-keys revoke a b',
  ])('%p is wrong usage', async (words) => {
    expect((await home.run(words)).exitCode).toBe(2);
    expect(door.requests).toEqual([]);
  });
});

describe('limits', () => {
  it('in force are shown by tier and window', async () => {
    const tiers = { free: { second: { limit: 100, burst: 200 }, minute: { limit: 3000 } } };
    door.api.set('GET /admin/limits', () => ({
      status: 200,
      body: { tiers, rules: [{ name: 'create' }], overrides: [{ caller: 'key:acme' }] },
    }));
    const { out } = await home.run('limits');
    expect(out).toMatch(/^free +100 \(burst 200\) +3000 +– +–$/m);
    expect(out).toContain('create');
    expect(out).toContain('key:acme');
  });

  it('of one caller are overridden, restored and refilled', async () => {
    let body: unknown;
    door.api.set('PUT /admin/limits/overrides/user%3Au1', (_, text) => {
      body = JSON.parse(text);
      return { status: 200, body: { caller: 'user:u1', ...(body as object) } };
    });
    door.api.set('DELETE /admin/limits/overrides/user%3Au1', () => ({ status: 204 }));
    door.api.set('DELETE /admin/limits/callers/user%3Au1/usage', () => ({ status: 204 }));
    const overridden = await home.run(
      'limits override user:u1 --tier paid --minute 120 --expires 2030-01-01',
    );
    expect([overridden.exitCode, overridden.err]).toEqual([0, '']);
    expect(body).toEqual({
      tier: 'paid',
      limits: { minute: 120 },
      expiresAt: '2030-01-01T00:00:00.000Z',
    });
    expect((await home.run('limits restore user:u1')).out).toBe('user:u1 is restored.\n');
    expect((await home.run('limits refill user:u1')).out).toBe('user:u1 is refilled.\n');
  });

  it('show what is left to a caller', async () => {
    door.api.set('GET /admin/limits/callers/key%3Aacme', () => ({
      status: 200,
      body: {
        caller: 'key:acme',
        hash: 'abc',
        tier: 'paid',
        buckets: [
          {
            rule: '',
            window: 'minute',
            limit: 50_000,
            capacity: 50_000,
            remaining: 7,
            fullAt: 1_800_000_000,
          },
        ],
      },
    }));
    expect((await home.run('limits caller key:acme')).out).toMatch(
      /all requests +per minute +7 of 50000 left/,
    );
  });

  it('show who was refused', async () => {
    const offender = {
      label: 'abc',
      kind: 'address',
      tier: 'anonymous',
      rejected: 12,
      lastRejectedAt: '2026-11-20T10:00:00.000Z',
    };
    door.api.set('GET /admin/limits/offenders', () => ({
      status: 200,
      body: { items: [offender] },
    }));
    expect((await home.run('limits offenders')).out).toMatch(/^abc +address +anonymous +12 /m);
  });

  it.each([
    'limits caller',
    'limits caller acme',
    'limits override user:u1',
    'limits override user:u1 --minute none',
    'limits override user:u1 --minute -3',
    'limits show x',
  ])('%p is wrong usage', async (words) => {
    expect((await home.run(words)).exitCode).toBe(2);
  });
});

describe('a management door', () => {
  it('that does not accept the token is told apart', async () => {
    door.api.set('GET /admin/keys', () => ({ status: 401, body: {} }));
    const { exitCode, err } = await home.run('api-keys');
    expect([exitCode, err]).toEqual([3, expect.stringContaining('MANAGEMENT_TOKEN')]);
  });

  it('on this machine takes the development token when none is set', async () => {
    delete home.variables['MANAGEMENT_TOKEN'];
    door.api.set('GET /admin/keys', () => ({ status: 200, body: { items: [] } }));
    expect((await home.run('api-keys')).out).toBe('No API keys.\n');
    expect(sent()?.headers.authorization).toBe('Bearer gatepost-development');
  });

  it('elsewhere is sent no token over plain http, and no development token at all', async () => {
    home.variables['GATEPOST_GATEWAY_MANAGEMENT_URL'] = 'http://10.0.0.7:9080';
    expect((await home.run('api-keys')).err).toContain('not encrypted');
    home.variables['GATEPOST_GATEWAY_MANAGEMENT_URL'] = 'https://admin.example.test';
    delete home.variables['MANAGEMENT_TOKEN'];
    const { exitCode, err } = await home.run('api-keys');
    expect([exitCode, err]).toEqual([2, expect.stringContaining('MANAGEMENT_TOKEN is not set')]);
  });
});
