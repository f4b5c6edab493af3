import { HostileIssuer } from '../../test/hostile-issuer.ts';
import { Home } from '../../test/run.ts';
import type { Finding } from '../doctor/finding.ts';
import { lookAtThisMachine } from '../doctor/this-machine.ts';

let issuer: HostileIssuer;
let home: Home;
/** What the gateway's bucket holds, by address. */
let buckets: Map<string, number>;
let believesForwardedFor: boolean;

beforeEach(async () => {
  issuer = await HostileIssuer.start();
  // No management door listens there.
  const nowhere = 'http://127.0.0.1:1';
  home = await Home.make({
    GATEPOST_URL: issuer.baseUrl,
    GATEPOST_GATEWAY_MANAGEMENT_URL: nowhere,
    GATEPOST_AUTH_MANAGEMENT_URL: nowhere,
    GATEPOST_SHORTENER_MANAGEMENT_URL: nowhere,
  });
  buckets = new Map();
  believesForwardedFor = false;
  issuer.api.set('GET /', ({ headers }) => {
    const address = (believesForwardedFor && String(headers['x-forwarded-for'] ?? '')) || 'peer';
    const remaining = (buckets.get(address) ?? 1000) - 1;
    buckets.set(address, remaining);
    return {
      status: 200,
      body: {},
      headers: { 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': String(remaining) },
    };
  });
  issuer.api.set('GET /.well-known/oauth-authorization-server/auth', () => ({
    status: 200,
    body: { issuer: issuer.issuer },
  }));
});
afterEach(async () => {
  await home.remove();
  await issuer.stop();
});

async function examine(): Promise<{ exitCode: number; of: (about: string) => Finding[] }> {
  const { exitCode, out } = await home.run('doctor --json');
  const findings = JSON.parse(out) as Finding[];
  return { exitCode, of: (about) => findings.filter((finding) => finding.about === about) };
}

describe('doctor', () => {
  it('finds nothing wrong where nothing is', async () => {
    const { exitCode, out } = await home.run('doctor');
    expect(exitCode).toBe(0);
    expect(out).not.toMatch(/^[✗]/m);
    expect(out).toMatch(/^✓ gateway {12}answers 200 in \d+ ms$/m);
    expect(out).toMatch(/^✓ issuer/m);
    expect(out).toMatch(/^✓ clock/m);
    expect(out).toMatch(/^· sign-in {12}Nobody is signed in\.$/m);
    expect(out).toMatch(/^· services/m);
  });

  it('says so, and how to go on, when nothing answers', async () => {
    await issuer.stop();
    const { exitCode, out, err } = await home.run('doctor');
    expect(exitCode).toBe(1);
    expect(out).toContain('does not answer');
    expect(out).toContain('npm start');
    expect(err).toContain('One thing is broken.');
    issuer = await HostileIssuer.start();
  });

  it.each([
    [502, 'fault'],
    [503, 'fault'],
    [504, 'fault'],
    [404, 'warning'],
  ])('takes %d from the public address for a %s', async (status, state) => {
    issuer.api.set('GET /', () => ({ status, body: {} }));
    expect((await examine()).of('gateway')[0]).toMatchObject({ state });
  });

  it.each([
    [0, 'good'],
    [4, 'good'],
    [20, 'warning'],
    [-20, 'warning'],
    [90, 'fault'],
    [-90, 'fault'],
  ])('judges a clock that is %d s off: %s', async (seconds, state) => {
    home.offsetMs = seconds * 1000;
    expect((await examine()).of('clock')[0]).toMatchObject({ state });
  });

  it('finds an issuer with another name', async () => {
    issuer.metadata = { issuer: 'https://elsewhere.example.test/auth' };
    const { exitCode, of } = await examine();
    expect(exitCode).toBe(1);
    expect(of('issuer')[0]).toMatchObject({
      state: 'fault',
      cure: expect.stringContaining('PUBLIC_URL'),
    });
  });

  it('finds endpoints that point elsewhere', async () => {
    issuer.metadata = { token_endpoint: 'http://auth-server:8081/auth/token' };
    expect((await examine()).of('endpoints')[0]).toMatchObject({ state: 'fault' });
  });

  it('finds out whether a client can choose its own address', async () => {
    expect((await examine()).of('proxy headers')[0]).toMatchObject({ state: 'good' });
    believesForwardedFor = true;
    expect((await examine()).of('proxy headers')[0]).toMatchObject({
      state: 'warning',
      cure: expect.stringContaining('TRUSTED_PROXIES'),
    });
  });

  it('finds a second metadata document that is missing', async () => {
    issuer.api.delete('GET /.well-known/oauth-authorization-server/auth');
    expect((await examine()).of('RFC 8414')[0]).toMatchObject({ state: 'warning' });
  });

  it('finds missing keys and private ones', async () => {
    const [key] = issuer.keys;
    issuer.keys = [];
    expect((await examine()).of('keys')[0]).toMatchObject({ state: 'fault' });
    issuer.keys = [
      { ...(key as NonNullable<typeof key>), publicJwk: { ...key?.publicJwk, d: 'x' } },
    ];
    expect((await examine()).of('keys')[0]).toMatchObject({
      state: 'fault',
      sentence: expect.stringContaining('PRIVATE'),
    });
  });

  it('says who is signed in', async () => {
    await home.run('login');
    expect((await examine()).of('sign-in')[0]).toMatchObject({
      state: 'good',
      sentence: expect.stringContaining('demo@example.com'),
    });
  });

  it.each([
    ['v18.20.0', 'fault'],
    ['v20.20.2', 'good'],
    ['v21.7.0', 'fault'],
    ['v22.11.0', 'fault'],
    ['v22.12.0', 'good'],
    ['v24.1.0', 'good'],
  ])('judges Node %s: %s', async (version, state) => {
    const context = {
      baseUrl: 'http://localhost:8080',
      environment: { configDir: home.configDir, proxyVariables: [] },
      now: Date.now,
    } as never;
    const [node] = await lookAtThisMachine(context, version);
    expect(node?.state).toBe(state);
  });
});

describe('doctor, for operators', () => {
  beforeEach(() => {
    for (const door of ['GATEWAY', 'AUTH', 'SHORTENER'])
      home.variables[`GATEPOST_${door}_MANAGEMENT_URL`] = `${issuer.baseUrl}/${door.toLowerCase()}`;
  });

  it('shows what the services say of themselves', async () => {
    const ready =
      (dependencies = {}) =>
      () => ({ status: 200, body: { status: 'ready', dependencies } });
    issuer.api.set('GET /gateway/readyz', ready({ redis: { up: false, detail: 'refused' } }));
    issuer.api.set('GET /auth/readyz', () => ({ status: 503, body: { status: 'draining' } }));
    issuer.api.set('GET /shortener/readyz', ready({ postgres: { up: true } }));
    const { of } = await examine();
    expect(of('gateway service')[0]).toMatchObject({
      state: 'warning',
      sentence: 'Ready, but without redis (refused).',
    });
    expect(of('auth service')[0]).toMatchObject({ state: 'warning' });
    expect(of('shortener service')[0]).toMatchObject({ state: 'good' });
  });
});
