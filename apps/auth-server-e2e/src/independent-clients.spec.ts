import { OAuth2Client as BadgatewayClient, generateCodeVerifier } from '@badgateway/oauth2-client';
import { describeWith } from '@gatepost/test-services';
import { OAuth2Client as ArcticClient, CodeChallengeMethod } from 'arctic';
import { InMemoryWebStorage, OidcClient, WebStorageStateStore } from 'oidc-client-ts';
import * as openid from 'openid-client';
import { AuthServers } from './auth-server-process.ts';
import { Person } from './person.ts';

const WEB_CALLBACK = 'http://127.0.0.1:3000/callback';
const SPA_CALLBACK = 'http://localhost:5173/callback';
const SCOPE = 'openid profile email links:read links:write';

describeWith(['postgres'], 'clients that others wrote', () => {
  let servers: AuthServers;
  const person = () => new Person(servers.issuer, servers.origins);
  /** Asks for consent along, so that every browser type gets its refresh token. */
  const random = () => crypto.randomUUID().replaceAll('-', '');

  beforeAll(async () => {
    servers = await AuthServers.start();
  }, 60_000);
  afterAll(() => servers?.stop());

  describe('openid-client', () => {
    const discover = (clientId: string, secret?: string) =>
      openid.discovery(
        new URL(servers.issuer),
        clientId,
        secret,
        secret ? openid.ClientSecretBasic(secret) : openid.None(),
        { execute: [openid.allowInsecureRequests] },
      );

    it('signs a person in, asks userinfo, refreshes, introspects, revokes', async () => {
      const config = await discover('demo-web', 'demo-web-secret');
      const verifier = openid.randomPKCECodeVerifier();
      const [state, nonce] = [openid.randomState(), openid.randomNonce()];
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: WEB_CALLBACK,
        scope: SCOPE,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      const callback = await person().follow(url.href);
      const tokens = await openid.authorizationCodeGrant(config, callback, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims() as openid.IDToken;
      expect(claims).toMatchObject({ email: 'demo@example.com', name: 'Demo User' });
      const userinfo = await openid.fetchUserInfo(config, tokens.access_token, claims.sub);
      expect(userinfo.email).toBe('demo@example.com');
      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token as string);
      expect(refreshed.claims()?.sub).toBe(claims.sub);
      const told = await openid.tokenIntrospection(config, refreshed.access_token);
      expect(told.active).toBe(true);
      await openid.tokenRevocation(config, refreshed.refresh_token as string);
      const after = await openid.tokenIntrospection(config, refreshed.access_token);
      expect(after.active).toBe(false);
    });

    it('pushes its request', async () => {
      const config = await discover('demo-web', 'demo-web-secret');
      const verifier = openid.randomPKCECodeVerifier();
      const [state, nonce] = [openid.randomState(), openid.randomNonce()];
      const url = await openid.buildAuthorizationUrlWithPAR(config, {
        redirect_uri: WEB_CALLBACK,
        scope: SCOPE,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      const callback = await person().follow(url.href);
      const tokens = await openid.authorizationCodeGrant(config, callback, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
      });
      expect(tokens.access_token).toBeDefined();
    });

    it('gets a token for itself, bound to a key', async () => {
      const config = await discover('demo-m2m', 'demo-m2m-secret');
      const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));
      const tokens = await openid.clientCredentialsGrant(
        config,
        { scope: 'links:read links:write' },
        { DPoP },
      );
      expect(tokens.token_type).toBe('dpop');
    });

    it('connects a device', async () => {
      const config = await discover('demo-cli');
      const device = await openid.initiateDeviceAuthorization(config, { scope: SCOPE });
      const tokens = openid.pollDeviceAuthorizationGrant(config, { ...device, interval: 1 });
      await person().connectDevice(device.user_code);
      expect((await tokens).claims()).toMatchObject({ name: 'Demo User' });
    }, 30_000);

    it('is refused without PKCE', async () => {
      const config = await discover('demo-web', 'demo-web-secret');
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: WEB_CALLBACK,
        scope: 'openid',
        state: random(),
        nonce: random(),
      });
      const callback = await person().follow(url.href);
      expect(callback.searchParams.get('error')).toBe('invalid_request');
    });
  });

  it('oidc-client-ts signs a person in, renews and revokes', async () => {
    const client = new OidcClient({
      authority: servers.issuer,
      client_id: 'demo-spa',
      redirect_uri: SPA_CALLBACK,
      scope: SCOPE,
      loadUserInfo: true,
      stateStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
    });
    const request = await client.createSigninRequest({ state: 'page', nonce: random() });
    const callback = await person().follow(request.url);
    const response = await client.processSigninResponse(callback.href);
    expect(response.profile).toMatchObject({ email: 'demo@example.com', name: 'Demo User' });
    expect(response.userState).toBe('page');
    await client.revokeToken(response.refresh_token as string, 'refresh_token');
    const metadata = await client.metadataService.getMetadata();
    expect(metadata.revocation_endpoint).toBe(`${servers.issuer}/revoke`);
  });

  it('@badgateway/oauth2-client signs a person in, refreshes, introspects, revokes', async () => {
    const client = new BadgatewayClient({
      server: servers.issuer,
      clientId: 'demo-web',
      clientSecret: 'demo-web-secret',
      discoveryEndpoint: `${servers.issuer}/.well-known/oauth-authorization-server`,
      authenticationMethod: 'client_secret_basic',
    });
    const codeVerifier = await generateCodeVerifier();
    const state = random();
    const url = await client.authorizationCode.getAuthorizeUri({
      redirectUri: WEB_CALLBACK,
      state,
      codeVerifier,
      scope: ['links:read', 'links:write'],
    });
    const callback = await person().follow(url);
    const token = await client.authorizationCode.getTokenFromCodeRedirect(callback, {
      redirectUri: WEB_CALLBACK,
      state,
      codeVerifier,
    });
    const refreshed = await client.refreshToken(token);
    expect(refreshed.accessToken).not.toBe(token.accessToken);
    expect((await client.introspect(refreshed)).active).toBe(true);
    await client.revoke(refreshed);
    expect((await client.introspect(refreshed)).active).toBe(false);
  });

  it('arctic signs a person in, refreshes and revokes', async () => {
    const client = new ArcticClient('demo-web', 'demo-web-secret', WEB_CALLBACK);
    const verifier = random() + random();
    const url = client.createAuthorizationURLWithPKCE(
      `${servers.issuer}/authorize`,
      random(),
      CodeChallengeMethod.S256,
      verifier,
      ['links:read'],
    );
    const callback = await person().follow(url.href);
    const code = callback.searchParams.get('code') as string;
    const tokens = await client.validateAuthorizationCode(
      `${servers.issuer}/token`,
      code,
      verifier,
    );
    const refreshed = await client.refreshAccessToken(
      `${servers.issuer}/token`,
      tokens.refreshToken(),
      [],
    );
    expect(refreshed.accessToken()).toBeDefined();
    await client.revokeToken(`${servers.issuer}/revoke`, refreshed.refreshToken());
    await expect(
      client.refreshAccessToken(`${servers.issuer}/token`, refreshed.refreshToken(), []),
    ).rejects.toThrow();
  });
});
