// oidc-provider as its documentation starts it: memory store, static clients, its own configuration, the same password hash.
import { createServer } from 'node:http';
import { hash, verify } from '@node-rs/argon2';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';

const OWASP = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const API = 'http://localhost:8080';
const { privateKey } = await generateKeyPair('ES256', { extractable: true });
const jwk = { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'bare' };
const passwordHash = await hash('correct-horse-battery', OWASP);

const provider = new Provider('http://localhost:8080/auth', {
  clients: [
    {
      client_id: 'demo-web',
      client_secret: 'demo-web-secret',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['http://127.0.0.1:3000/callback'],
      id_token_signed_response_alg: 'ES256',
    },
    {
      client_id: 'demo-m2m',
      client_secret: 'demo-m2m-secret',
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      id_token_signed_response_alg: 'ES256',
    },
  ],
  jwks: { keys: [jwk] },
  scopes: ['openid', 'offline_access'],
  claims: { openid: ['sub'], email: ['email'], profile: ['name'] },
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  cookies: { keys: ['bare-provider-cookie-key-of-24'] },
  pkce: { required: () => true },
  conformIdTokenClaims: false,
  rotateRefreshToken: true,
  issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
  routes: { authorization: '/authorize', token: '/token', userinfo: '/userinfo' },
  ttl: {
    AccessToken: 300,
    ClientCredentials: 300,
    IdToken: 3600,
    RefreshToken: 1_209_600,
    Session: 1_209_600,
    Interaction: 3600,
    Grant: 1_209_600,
  },
  findAccount: async (_ctx, sub) => ({
    accountId: sub,
    claims: async () => ({ sub, email: 'demo@example.com', name: 'Demo User' }),
  }),
  interactions: { url: (_ctx, { uid }) => `/auth/interaction/${uid}` },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: async (_ctx, _client, oneOf) => oneOf ?? API,
      useGrantedResource: async () => true,
      getResourceServerInfo: async () => ({
        scope: 'links:read links:write',
        audience: API,
        accessTokenTTL: 300,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
});
provider.proxy = true;
const answer = provider.callback();

createServer(async (request, response) => {
  const interaction = /^\/auth\/interaction\/[^/]+$/.test(request.url);
  if (interaction)
    return interact(request, response).catch((error) => response.writeHead(500).end(String(error)));
  request.originalUrl = request.url;
  request.url = request.url.slice('/auth'.length);
  return answer(request, response);
}).listen(0, '127.0.0.1', function listening() {
  process.send({ type: 'ready', port: this.address().port });
});

async function interact(request, response) {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (request.method === 'GET') {
    const fields = prompt.name === 'login' ? '<input name="email"><input name="password">' : '';
    response.setHeader('content-type', 'text/html');
    return response.end(
      `<form method="post" action="${request.url}">${fields}<button>Go</button></form>`,
    );
  }
  let text = '';
  for await (const chunk of request) text += chunk;
  if (prompt.name === 'login') {
    const form = new URLSearchParams(text);
    const matches = await verify(passwordHash, form.get('password'));
    const result = matches
      ? { login: { accountId: form.get('email') } }
      : { error: 'access_denied' };
    return provider.interactionFinished(request, response, result);
  }
  const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  grant.addResourceScope(API, 'links:read links:write');
  const grantId = await grant.save();
  return provider.interactionFinished(request, response, { consent: { grantId } });
}
for (const event of ['disconnect', 'SIGTERM']) process.on(event, () => process.exit());
