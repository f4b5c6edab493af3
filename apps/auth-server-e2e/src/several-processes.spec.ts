import { describeWith } from '@gatepost/test-services';
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JSONWebKeySet,
  jwtVerify,
} from 'jose';
import { AuthServers } from './auth-server-process.ts';
import { Protocol, type Tokens, WEB } from './protocol.ts';

const PARALLEL = 10;
const ROUNDS = 8;

describeWith(['postgres'], 'two processes behind one issuer', () => {
  let servers: AuthServers;
  let protocol: Protocol;

  beforeAll(async () => {
    servers = await AuthServers.start({ processes: 2 });
    protocol = new Protocol(servers);
    await protocol.signIn();
  }, 60_000);
  afterAll(() => servers?.stop());

  async function race<T>(prepare: () => Promise<T>, use: (made: T) => Promise<Response>) {
    const successes: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const made = await prepare();
      const answers = await Promise.all(Array.from({ length: PARALLEL }, () => use(made)));
      expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true);
      successes.push(answers.filter(({ status }) => status === 200).length);
    }
    return successes;
  }
  const once = Array.from({ length: ROUNDS }, () => 1);

  it('redeem a code once', async () => {
    const successes = await race(
      () => protocol.authorize(),
      (granted) => protocol.exchange(granted),
    );
    expect(successes).toEqual(once);
  }, 60_000);

  it('rotate a refresh token once', async () => {
    const successes = await race(
      async () => (await protocol.signIn()).refresh_token,
      (token) => protocol.refresh(token),
    );
    expect(successes).toEqual(once);
  }, 60_000);

  it('finish a sign-in that was begun in the other', async () => {
    const newcomer = new Protocol(servers);
    const tokens = await newcomer.signIn();
    expect(decodeJwt(tokens.id_token)).toMatchObject({ email: 'demo@example.com' });
  });

  it('honour a revocation by the other at once', async () => {
    const token = await protocol.machineToken();
    const other = new Protocol(servers);
    await other.post('/revoke', { token }, { id: 'demo-m2m', secret: 'demo-m2m-secret' });
    for (let look = 0; look < 2; look++) {
      const response = await other.post(
        '/introspect',
        { token },
        { id: 'demo-m2m', secret: 'demo-m2m-secret' },
      );
      expect(await response.json()).toEqual({ active: false });
    }
  });

  it('let the next key sign when an operator rotates, without a restart', async () => {
    const before = await protocol.machineToken();
    const rotated = await servers.administer('POST', '/admin/signing-keys/rotations', {});
    expect(rotated.status).toBe(201);
    const deadline = Date.now() + 5_000;
    const fresh = new Set<string>();
    while (fresh.size < 1 || Date.now() < deadline) {
      const kids = await Promise.all(
        Array.from(
          { length: 4 },
          async () => decodeProtectedHeader(await protocol.machineToken()).kid,
        ),
      );
      if (!kids.includes(decodeProtectedHeader(before).kid)) {
        for (const kid of kids) fresh.add(kid as string);
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(fresh.size).toBe(1);
    for (const origin of servers.origins) {
      const jwks = (await (await fetch(`${origin}/auth/jwks`)).json()) as JSONWebKeySet;
      await expect(jwtVerify(before, createLocalJWKSet(jwks))).resolves.toBeDefined();
    }
  }, 20_000);

  it('know a new client, a new secret and a disabled client within a second or two', async () => {
    const registration = {
      name: 'New',
      grantTypes: ['client_credentials'],
      apiScopes: ['links:read'],
    };
    const created = await servers.administer('POST', '/admin/clients', registration);
    const { clientId, clientSecret } = (await created.json()) as Record<string, string>;
    const client = { id: clientId as string, secret: clientSecret as string };
    const form = { grant_type: 'client_credentials', scope: 'links:read' };
    const both = () => Promise.all([0, 1].map(() => protocol.post('/token', form, client)));
    expect((await both()).map(({ status }) => status)).toEqual([200, 200]);
    await servers.administer('POST', `/admin/clients/${clientId}/disable`);
    const deadline = Date.now() + 3_000;
    let statuses: number[] = [];
    do statuses = (await both()).map(({ status }) => status);
    while (statuses.some((status) => status === 200) && Date.now() < deadline);
    expect(statuses).toEqual([401, 401]);
  });

  it('end the tokens of an application when its user takes its access away', async () => {
    const owner = new Protocol(servers);
    const tokens: Tokens = await owner.signIn();
    const page = await (await owner.person.fetch(`${servers.issuer}/account`)).text();
    expect(page).toContain('Demo Web Application');
    const told = await owner.post('/introspect', { token: tokens.access_token }, WEB);
    expect(((await told.json()) as { active: boolean }).active).toBe(true);
  });
});
