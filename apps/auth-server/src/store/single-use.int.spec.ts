import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { M2M, ProtocolClient } from '../testing/protocol-client.ts';
import { ISSUER, type ProtocolServer, startProtocolServer } from '../testing/protocol-server.ts';

const PARALLEL = 10;
const ROUNDS = Number(process.env['SINGLE_USE_ROUNDS'] ?? 12);

describeWith(['postgres'], 'single use across two processes', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let servers: ProtocolServer[];
  let origins: string[];

  beforeAll(async () => {
    database = await createTestDatabase();
    servers = [await startProtocolServer(database.url), await startProtocolServer(database.url)];
    origins = servers.map(({ origin }) => origin);
  }, 30_000);
  afterAll(async () => {
    for (const server of servers ?? []) await server.close();
    await database?.drop();
  });

  /** Statuses of ten requests at once, round after round. */
  async function race<T>(prepare: () => Promise<T>, use: (prepared: T) => Promise<number>) {
    const rounds: number[][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const prepared = await prepare();
      rounds.push(await Promise.all(Array.from({ length: PARALLEL }, () => use(prepared))));
    }
    return rounds;
  }

  const successes = (rounds: number[][]) =>
    rounds.map((statuses) => statuses.filter((status) => status < 400).length);
  const once = Array.from({ length: ROUNDS }, () => 1);

  it('redeems an authorization code once', async () => {
    const client = new ProtocolClient(origins);
    const rounds = await race(
      () => client.authorize(),
      async (granted) => (await client.exchange(granted)).status,
    );
    expect(successes(rounds)).toEqual(once);
    expect(rounds.flat().every((status) => status === 200 || status === 400)).toBe(true);
  }, 60_000);

  it('rotates a refresh token once', async () => {
    const client = new ProtocolClient(origins);
    const rounds = await race(
      async () => (await client.signIn()).body.refresh_token,
      async (token) => (await client.refresh(token)).status,
    );
    expect(successes(rounds)).toEqual(once);
    expect(rounds.flat().every((status) => status === 200 || status === 400)).toBe(true);
  }, 60_000);

  it('redeems a device code once', async () => {
    const client = new ProtocolClient(origins, { id: 'demo-cli' });
    const rounds = await race(
      async () => {
        const { body } = await client.post('/device_authorization', { scope: 'openid links:read' });
        await client.approveDevice(String(body['user_code']));
        return String(body['device_code']);
      },
      async (device_code) => {
        const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
        return (await client.token({ grant_type, device_code })).status;
      },
    );
    expect(successes(rounds)).toEqual(once);
  }, 60_000);

  it('accepts a pushed authorization request once', async () => {
    const client = new ProtocolClient(origins);
    await client.signIn();
    const rounds = await race(
      async () => {
        const { body } = await client.post('/par', client.request().params);
        return String(body['request_uri']);
      },
      async (request_uri) => {
        const url = `${ISSUER}/authorize?client_id=demo-web&request_uri=${encodeURIComponent(request_uri)}`;
        const { location } = await client.browser.open(url);
        return location?.searchParams.has('code') ? 200 : 400;
      },
    );
    expect(successes(rounds)).toEqual(once);
  }, 60_000);

  it('accepts a DPoP proof once', async () => {
    const client = new ProtocolClient(origins, M2M);
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwk = await exportJWK(publicKey);
    const rounds = await race(
      () =>
        new SignJWT({ htm: 'POST', htu: `${ISSUER}/token`, jti: crypto.randomUUID() })
          .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
          .setIssuedAt()
          .sign(privateKey),
      async (dpop) => {
        const form = { grant_type: 'client_credentials', scope: 'links:read' };
        const { status, body } = await client.token(form, { dpop });
        if (status === 200) expect(decodeJwt(body.access_token)).toHaveProperty('cnf.jkt');
        return status;
      },
    );
    expect(successes(rounds)).toEqual(once);
  }, 60_000);

  it('ends the family when a used refresh token comes again, and every later one with it', async () => {
    const client = new ProtocolClient(origins);
    const first = await client.signIn();
    const second = await client.refresh(first.body.refresh_token);
    const third = await client.refresh(second.body.refresh_token);
    expect((await client.refresh(first.body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await client.refresh(third.body.refresh_token)).body.error).toBe('invalid_grant');
    const { body } = await client.post('/introspect', { token: third.body.access_token });
    expect(body).toEqual({ active: false });
  });

  it('ends what a code led to when the code comes again', async () => {
    const client = new ProtocolClient(origins);
    const granted = await client.authorize();
    const { body } = await client.exchange(granted);
    expect((await client.exchange(granted)).body.error).toBe('invalid_grant');
    expect((await client.refresh(body.refresh_token)).body.error).toBe('invalid_grant');
    const answer = await client.post('/introspect', { token: body.access_token });
    expect(answer.body).toEqual({ active: false });
  });
});
