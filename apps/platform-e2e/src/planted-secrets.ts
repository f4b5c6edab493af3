import { randomBytes } from 'node:crypto';
import { expectPage, type FormBrowser } from './form-browser.ts';
import { DEMO_WEB } from './sign-in.ts';

const REDIRECT = encodeURIComponent(DEMO_WEB.redirectUri);

/**
 * Sends a secret in every place where one is sent, rightly or by mistake, each with a value of its own. Returns what was
 * sent where. The answers do not matter, most are refusals: an error is where a secret is most likely to be told on.
 */
export async function plantSecrets(
  base: string,
  browser: FormBrowser,
): Promise<ReadonlyMap<string, string>> {
  const planted = new Map<string, string>();
  const plant = (where: string): string => {
    const value = `canary${randomBytes(12).toString('hex')}`;
    planted.set(where, value);
    return value;
  };
  const send = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${base}${path}`, { redirect: 'manual', ...init });
    await answer.arrayBuffer();
  };
  const header = (name: string, scheme = '') =>
    send('/links', { headers: { [name]: `${scheme}${plant(`the header ${name} ${scheme}`)}` } });

  await header('authorization', 'Bearer ');
  await header('authorization', 'DPoP ');
  await header('authorization', 'Unknown ');
  await header('x-api-key');
  await header('cookie', 'session=');
  await header('dpop');
  await header('proxy-authorization', 'Basic ');

  // In a query: where a token should not be, and a code has to be.
  await send(`/zzzzzz7?access_token=${plant('a query of the shortener')}`);
  await send(`/no/such/path?code=${plant('a query that nobody serves')}`);
  await send(`/auth/authorize?client_id=demo-web&id_token_hint=${plant('a hint at authorize')}`);
  await send(
    `/auth/authorize?client_id=unknown&redirect_uri=${REDIRECT}&state=${plant('a state')}`,
  );

  const form = (
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ) => send(path, { method: 'POST', body: new URLSearchParams(fields), headers });
  const basic = (secret: string) => ({
    authorization: `Basic ${Buffer.from(`demo-web:${secret}`).toString('base64')}`,
  });
  const wrong = plant('a wrong client secret');
  planted.set('a wrong client secret, encoded', basic(wrong).authorization.slice(6));
  await form('/auth/token', { grant_type: 'client_credentials' }, basic(wrong));
  const proven = basic(DEMO_WEB.secret ?? '');
  await form(
    '/auth/token',
    {
      grant_type: 'authorization_code',
      code: plant('a wrong code'),
      redirect_uri: DEMO_WEB.redirectUri,
      code_verifier: `${plant('a code verifier')}${'x'.repeat(20)}`,
    },
    proven,
  );
  await form(
    '/auth/token',
    { grant_type: 'refresh_token', refresh_token: plant('a wrong refresh token') },
    proven,
  );
  await form('/auth/token', {
    grant_type: 'client_credentials',
    client_id: 'demo-web',
    client_secret: plant('a secret in the body'),
  });
  await form('/auth/introspect', { token: plant('a token to be introspected') }, proven);
  await form('/auth/revoke', { token: plant('a token to be revoked') }, proven);
  await send(`/auth/userinfo?access_token=${plant('a token at userinfo')}`);

  // Bodies that are refused before anybody knows what is in them.
  const json = (body: string) =>
    send('/shorten', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  await json(`{"password":"${plant('a body that is no JSON')}"`);
  await json(`{"longUrl":"https://user:${plant('a password in a URL')}@example.com/"}`);
  await json(`{"longUrl":"https://example.com/","token":"${plant('an unknown member')}"}`);

  await signInWrongly(base, browser, plant('a wrong password'));
  return planted;
}

/** Where a sign-in begins, with everything that it takes. */
export function authorizationAddress(base: string): string {
  const query = new URLSearchParams({
    client_id: DEMO_WEB.clientId,
    redirect_uri: DEMO_WEB.redirectUri,
    response_type: 'code',
    scope: 'openid',
    state: 'state-of-a-spec',
    nonce: 'nonce-of-a-spec',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', // of RFC 7636, appendix B
    code_challenge_method: 'S256',
  });
  return `${base}/auth/authorize?${query}`;
}

async function signInWrongly(base: string, browser: FormBrowser, password: string): Promise<void> {
  const page = expectPage(await browser.open(authorizationAddress(base)));
  const credentials = { email: 'demo@example.com', password };
  await browser.submit(page, credentials, /login|sign-in|password/);
}
