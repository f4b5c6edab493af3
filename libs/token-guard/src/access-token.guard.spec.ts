import { createApp, createLogger, Readiness } from '@gatepost/service-kit';
import { Controller, Get, type INestApplication, Module, Post, UseGuards } from '@nestjs/common';
import { HostileIssuer, makeProver } from '../test/hostile-issuer.ts';
import { Caller, OptionalAccessToken, RequireScopes } from './access-token.decorators.ts';
import { AccessTokenGuard } from './access-token.guard.ts';
import { AccessTokenVerifier } from './access-token-verifier.ts';
import type { Caller as TokenCaller } from './caller.ts';
import { TokenGuardModule } from './token-guard.module.ts';

@Controller()
@UseGuards(AccessTokenGuard)
class Door {
  @Get('links')
  @RequireScopes('links:read')
  list(@Caller() caller: TokenCaller) {
    return { owner: caller.owner, scopes: [...caller.scopes] };
  }

  @Post('shorten')
  @OptionalAccessToken()
  @RequireScopes('links:write')
  shorten(@Caller() caller: TokenCaller | undefined) {
    return { owner: caller?.owner ?? 'nobody' };
  }

  @Get('me')
  me(@Caller() caller: TokenCaller) {
    return { owner: caller.owner };
  }
}

@Module({ controllers: [Door] })
class Doors {}

const publicUrl = 'https://go.example.test';
let issuer: HostileIssuer;
let app: INestApplication;
let verifier: AccessTokenVerifier;
let address: string;

beforeAll(async () => {
  issuer = await HostileIssuer.start();
  verifier = AccessTokenVerifier.create({
    issuer: issuer.issuer,
    audience: issuer.audience,
    internalUrl: issuer.internalUrl,
    timeoutMs: 300,
  });
  const register = TokenGuardModule.register({ verifier, publicUrl });
  app = await createApp({
    module: { module: Doors, imports: [register] },
    logger: createLogger({ name: 'doors', level: 'fatal' }),
    readiness: new Readiness(),
    trustedProxies: [],
  });
  await app.listen(0, '127.0.0.1');
  address = await app.getUrl();
});
afterAll(async () => {
  await app.close();
  await issuer.stop();
});

async function ask(
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{
  status: number;
  body: Record<string, unknown>;
  challenge: string | null;
  type: string;
}> {
  const response = await fetch(`${address}${path}`, { method, headers });
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    challenge: response.headers.get('www-authenticate'),
    type: response.headers.get('content-type') ?? '',
  };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('a guarded door', () => {
  it('opens for a good token and says who calls', async () => {
    const { status, body } = await ask('GET', '/links', bearer(await issuer.token()));
    expect([status, body]).toEqual([
      200,
      { owner: 'user:user-1', scopes: ['links:read', 'links:write'] },
    ]);
  });

  it('answers 401 without a token', async () => {
    const { status, body, challenge, type } = await ask('GET', '/links');
    expect(status).toBe(401);
    expect(type).toContain('application/problem+json');
    expect(body).toMatchObject({ type: 'urn:gatepost:problem:token-missing', status: 401 });
    expect(challenge).toMatch(/^Bearer realm="gatepost", DPoP algs=/);
  });

  it('answers 401 to a bad token and says why', async () => {
    const token = await issuer.token({ claims: { exp: 1 } });
    const { status, body, challenge } = await ask('GET', '/links', bearer(token));
    expect(status).toBe(401);
    expect(body).toMatchObject({ detail: 'The access token has expired.' });
    expect(challenge).toBe(
      'Bearer realm="gatepost", error="invalid_token", error_description="The access token has expired."',
    );
  });

  it('answers 401 to an id_token', async () => {
    const idToken = await issuer.token({ header: { typ: 'JWT' }, claims: { aud: 'demo-web' } });
    expect((await ask('GET', '/links', bearer(idToken))).status).toBe(401);
  });

  it('answers 403 to a token without the scope', async () => {
    const token = await issuer.token({ claims: { scope: 'links:write' } });
    const { status, body, challenge } = await ask('GET', '/links', bearer(token));
    expect(status).toBe(403);
    expect(body).toMatchObject({ type: 'urn:gatepost:problem:scope-missing' });
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain('scope="links:read"');
  });

  it('does not take a token from the query', async () => {
    const { status } = await ask('GET', `/links?access_token=${await issuer.token()}`);
    expect(status).toBe(401);
  });

  it.each(['Basic dXNlcjpwYXNz', 'Bearer', 'Bearer a b', 'Token abc'])(
    'answers 401 to credentials like %p',
    async (authorization) => {
      expect((await ask('GET', '/me', { authorization })).status).toBe(401);
    },
  );

  it('needs no scope where none is named', async () => {
    const token = await issuer.token({
      claims: { scope: undefined, sub: 'demo-m2m', client_id: 'demo-m2m' },
    });
    expect((await ask('GET', '/me', bearer(token))).body).toEqual({ owner: 'client:demo-m2m' });
  });
});

describe('a door where the token is optional', () => {
  it('opens for nobody in particular', async () => {
    const { status, body } = await ask('POST', '/shorten');
    expect([status, body]).toEqual([201, { owner: 'nobody' }]);
  });

  it('opens for the owner of a good token', async () => {
    expect((await ask('POST', '/shorten', bearer(await issuer.token()))).body).toEqual({
      owner: 'user:user-1',
    });
  });

  it('does not open for a bad token, nor for one without the scope, nor for unreadable credentials', async () => {
    const stale = await issuer.token({ claims: { exp: 1 } });
    const poor = await issuer.token({ claims: { scope: 'links:read' } });
    expect((await ask('POST', '/shorten', bearer(stale))).status).toBe(401);
    expect((await ask('POST', '/shorten', bearer(poor))).status).toBe(403);
    expect((await ask('POST', '/shorten', { authorization: 'Basic YTpi' })).status).toBe(401);
  });
});

describe('a token bound to a key', () => {
  it('opens with a proof for the public address, whatever Host says', async () => {
    const prover = await makeProver();
    const accessToken = await issuer.token({ claims: { cnf: { jkt: prover.thumbprint } } });
    const proof = await prover.prove({ method: 'GET', url: `${publicUrl}/links`, accessToken });
    const headers = { authorization: `DPoP ${accessToken}`, dpop: proof };
    expect((await ask('GET', '/links?cursor=1', headers)).status).toBe(200);
    const replayed = await ask('GET', '/links', headers);
    expect(replayed.status).toBe(401);
    expect(replayed.challenge).toMatch(/^DPoP algs="[^"]+", error="invalid_dpop_proof"/);
  });

  it('does not open for a proof made for the internal address', async () => {
    const prover = await makeProver();
    const accessToken = await issuer.token({ claims: { cnf: { jkt: prover.thumbprint } } });
    const proof = await prover.prove({ method: 'GET', url: `${address}/links`, accessToken });
    const headers = { authorization: `DPoP ${accessToken}`, dpop: proof };
    expect((await ask('GET', '/links', headers)).status).toBe(401);
  });

  it('does not open as a bearer token', async () => {
    const prover = await makeProver();
    const accessToken = await issuer.token({ claims: { cnf: { jkt: prover.thumbprint } } });
    const { status, challenge } = await ask('GET', '/links', bearer(accessToken));
    expect(status).toBe(401);
    expect(challenge).toMatch(/^DPoP/);
  });
});

it('answers 503 with Retry-After, not 401, when the status of a token cannot be known', async () => {
  issuer.misbehave('/status-lists/1', (_, response) => response.writeHead(500).end());
  const token = await issuer.token({ claims: issuer.statusClaim(1) });
  const response = await fetch(`${address}/links`, { headers: bearer(token) });
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(response.headers.get('www-authenticate')).toBeNull();
});

it('stops polling when the app closes', async () => {
  issuer.behave('/status-lists/1');
  const token = await issuer.token({ claims: issuer.statusClaim(1) });
  await verifier.verify({ token, scheme: 'bearer', method: 'GET', url: publicUrl });
  expect(verifier.state.statusLists).toBe(1);
  await app.close();
  expect(verifier.state).toMatchObject({ statusLists: 0, cachedTokens: 0 });
});
