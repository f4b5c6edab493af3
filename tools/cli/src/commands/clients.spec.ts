import { HostileIssuer } from '../../test/hostile-issuer.ts';
import { Home } from '../../test/run.ts';

let door: HostileIssuer;
let home: Home;
let sent: unknown;

beforeEach(async () => {
  door = await HostileIssuer.start();
  home = await Home.make({ GATEPOST_AUTH_MANAGEMENT_URL: door.baseUrl });
  sent = undefined;
});
afterEach(async () => {
  await home.remove();
  await door.stop();
});

function answer(request: string, status: number, body?: unknown): void {
  door.api.set(request, (_, text) => {
    if (text !== '') sent = JSON.parse(text);
    return { status, body };
  });
}

const client = {
  clientId: 'shop',
  name: 'The Shop',
  redirectUris: ['https://shop.example/callback'],
  postLogoutRedirectUris: [],
  grantTypes: ['authorization_code', 'refresh_token'],
  authentication: 'client_secret_basic',
  applicationType: 'web',
  apiScopes: ['links:read'],
  introspects: [],
  idTokenAlgorithm: 'ES256',
  jwks: null,
  jwksUri: null,
  backchannelLogoutUri: null,
  backchannelLogoutSessionRequired: false,
  requirePushedAuthorizationRequests: false,
  dpopBoundAccessTokens: false,
  clientUri: null,
  logoUri: null,
  policyUri: null,
  tosUri: null,
  origin: 'operator',
  secrets: [{ id: 's1', createdAt: '2026-11-20T10:00:00.000Z', expiresAt: null }],
  createdAt: '2026-11-20T10:00:00.000Z',
  updatedAt: '2026-11-20T10:00:00.000Z',
  disabledAt: null,
};

describe('clients', () => {
  it('are listed, all pages of them', async () => {
    door.api.set('GET /admin/clients', ({ url }) => {
      const isFirst = !url?.includes('cursor');
      const items = [{ ...client, clientId: isFirst ? 'first' : 'second' }];
      return { status: 200, body: { items, nextCursor: isFirst ? 'c' : null } };
    });
    const { exitCode, out } = await home.run('clients');
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^first +The Shop +confidential +operator +links:read$/m);
    expect(out).toMatch(/^second /m);
  });

  it('are created, and their secret is shown once', async () => {
    answer('POST /admin/clients', 201, { ...client, clientSecret: 'a-new-secret' });
    const { out, err } = await home.run(
      'clients create --id shop --name Shop --redirect https://a.test/cb --redirect https://b.test/cb --scope links:read --grant authorization_code --grant device --require-par',
    );
    expect(sent).toEqual({
      clientId: 'shop',
      name: 'Shop',
      redirectUris: ['https://a.test/cb', 'https://b.test/cb'],
      apiScopes: ['links:read'],
      grantTypes: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
      requirePushedAuthorizationRequests: true,
    });
    expect(out).toContain('a-new-secret');
    expect(err).toContain('not shown again');
  });

  it('are public when they are native', async () => {
    answer('POST /admin/clients', 201, { ...client, authentication: 'none', secrets: [] });
    await home.run('clients create --name Tool --native');
    expect(sent).toEqual({ name: 'Tool', authentication: 'none', applicationType: 'native' });
  });

  it('are changed in what is named alone', async () => {
    answer('PATCH /admin/clients/shop', 200, client);
    expect((await home.run('clients change shop --redirect https://new.test/cb')).exitCode).toBe(0);
    expect(sent).toEqual({ redirectUris: ['https://new.test/cb'] });
  });

  it('get a new secret beside the old one', async () => {
    answer('POST /admin/clients/shop/secrets', 201, {
      clientId: 'shop',
      clientSecret: 'a-newer-secret',
      previousExpireAt: '2026-11-21T10:00:00.000Z',
    });
    const { out, err } = await home.run('clients rotate-secret shop --overlap 2d');
    expect(sent).toEqual({ overlapSeconds: 172_800 });
    expect(out).toBe('a-newer-secret\n');
    expect(err).toContain('The old one works until');
  });

  it('are shown, disabled, enabled, and removed when that is meant', async () => {
    answer('GET /admin/clients/shop', 200, client);
    answer('POST /admin/clients/shop/disable', 200, client);
    answer('POST /admin/clients/shop/enable', 200, client);
    answer('DELETE /admin/clients/shop', 204);
    expect((await home.run('clients show shop')).out).toContain('https://shop.example/callback');
    expect((await home.run('clients disable shop')).out).toBe('shop is disabled.\n');
    expect((await home.run('clients enable shop')).out).toBe('shop is enabled.\n');
    expect(await home.run('clients remove shop')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('--yes'),
    });
    expect((await home.run('clients remove shop --yes')).exitCode).toBe(0);
  });

  it('may register themselves with a token', async () => {
    answer('POST /admin/initial-access-tokens', 201, { token: 'iat', expiresAt: 'x' });
    expect((await home.run('clients registration-token --valid 1h')).out).toBe('iat\n');
    expect(sent).toEqual({ expiresInSeconds: 3600 });
  });

  it.each([
    'clients create',
    'clients change shop',
    'clients show',
    'clients frobnicate',
    'clients rotate-secret shop --overlap long',
  ])('%p is wrong usage', async (words) => {
    expect((await home.run(words)).exitCode).toBe(2);
    expect(door.requests).toEqual([]);
  });
});

describe('users', () => {
  const user = {
    id: '0b9a5d64-5b0e-4c52-8a3f-111111111111',
    email: 'ada@example.com',
    emailVerified: false,
    name: 'Ada',
    disabled: false,
    passwordIsTemporary: false,
    createdAt: '2026-11-20T10:00:00.000Z',
    updatedAt: '2026-11-20T10:00:00.000Z',
  };
  const path = `/admin/users/${user.id}`;

  beforeEach(() => {
    const items = [{ ...user, id: 'other', email: 'not-ada@example.com' }, user];
    answer('GET /admin/users', 200, { items, nextCursor: null });
    answer(`GET ${path}`, 200, user);
  });

  it('are listed', async () => {
    const { out } = await home.run('users --search ada');
    expect(out).toMatch(/^ada@example\.com +Ada +enabled +2026-11-20 +0b9a/m);
    expect(door.requests.at(-1)?.search.get('q')).toBe('ada');
  });

  it('are created with a temporary password', async () => {
    answer('POST /admin/users', 201, { ...user, temporaryPassword: 'four-words-and-more' });
    const { out, err } = await home.run('users create --email ada@example.com --name Ada');
    expect(sent).toEqual({ email: 'ada@example.com', name: 'Ada' });
    expect(out).toBe('four-words-and-more\n');
    expect(err).toContain('Temporary password of ada@example.com');
  });

  it('are found by their exact address', async () => {
    answer(`POST ${path}/reset-password`, 201, { id: user.id, temporaryPassword: 'temporary' });
    expect((await home.run('users reset-password ADA@example.com')).out).toBe('temporary\n');
    expect(await home.run('users reset-password da@example.com')).toMatchObject({
      exitCode: 4,
      err: expect.stringContaining('There is no user'),
    });
  });

  it('are disabled, enabled, signed out, and removed when that is meant', async () => {
    answer(`POST ${path}/disable`, 200, { ...user, disabled: true });
    answer(`POST ${path}/enable`, 200, user);
    answer(`POST ${path}/end-sessions`, 204);
    answer(`DELETE ${path}`, 204);
    expect((await home.run('users disable ada@example.com')).out).toContain('is disabled');
    expect((await home.run(`users enable ${user.id}`)).out).toContain('is enabled');
    expect((await home.run('users end-sessions ada@example.com')).out).toContain('signed out');
    expect((await home.run('users remove ada@example.com')).exitCode).toBe(2);
    expect((await home.run('users remove ada@example.com --yes')).out).toContain('is removed');
  });

  it.each(['users create --name Ada', 'users disable', 'users list x'])(
    '%p is wrong usage',
    async (words) => {
      expect((await home.run(words)).exitCode).toBe(2);
    },
  );
});

describe('keys', () => {
  const key = {
    kid: 'key-1',
    alg: 'ES256',
    state: 'current',
    createdAt: '2020-01-01T00:00:00.000Z',
    signsFrom: '2020-01-02T00:00:00.000Z',
    retiredAt: null,
  };

  it('are listed with their states', async () => {
    answer('GET /admin/signing-keys', 200, {
      items: [key, { ...key, kid: 'key-2', state: 'next', signsFrom: null }],
    });
    const { out } = await home.run('keys');
    expect(out).toMatch(/^current +ES256 +\d+ d ago +key-1$/m);
    expect(out).toMatch(/^next +ES256 .*key-2$/m);
  });

  it.each([
    ['keys rotate', false],
    ['keys rotate --immediately', true],
  ])('%p rotates them', async (words, immediately) => {
    answer('POST /admin/signing-keys/rotations', 201, { items: [key] });
    expect((await home.run(words)).exitCode).toBe(0);
    expect(sent).toEqual({ immediately });
  });

  const HOUR = 3_600;
  it.each([
    ['for three hours more than the schedule says', 27 * HOUR, 24 * HOUR, 'warning'],
    ['for as long as the schedule says', 24 * HOUR, 24 * HOUR, 'good'],
    ['for 121 days without a schedule', 121 * 24 * HOUR, 0, 'warning'],
    ['for 100 days without a schedule', 100 * 24 * HOUR, 0, 'good'],
    ['for 121 days, as an older server tells', 121 * 24 * HOUR, undefined, 'warning'],
  ])(
    'that have signed %s are judged by doctor',
    async (_age, ageSeconds, rotationSeconds, state) => {
      const signsFrom = new Date(Date.now() - ageSeconds * 1000).toISOString();
      answer('GET /admin/signing-keys', 200, { items: [{ ...key, signsFrom }], rotationSeconds });
      const { out } = await home.run('doctor --json --base-url http://127.0.0.1:1');
      expect(JSON.parse(out)).toContainEqual(
        expect.objectContaining({
          about: 'signing keys',
          state,
          ...(state === 'warning' ? { cure: 'gatepost keys rotate' } : {}),
        }),
      );
    },
  );
});
