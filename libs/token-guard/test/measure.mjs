// CPU microseconds per verification, cached and not. After `npx tsc -b libs/token-guard`: node libs/token-guard/test/measure.mjs
import { createServer } from 'node:http';
import { deflateSync } from 'node:zlib';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { AccessTokenVerifier } from '../dist/index.js';

const issuer = 'https://id.example.test/auth';
const audience = 'https://go.example.test';
const listUri = `${issuer}/status-lists/1`;
const soon = Math.floor(Date.now() / 1000);

for (const algorithm of ['ES256', 'RS256']) {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: algorithm };
  const sign = (typ, claims) =>
    new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid: 'k', typ }).sign(privateKey);
  const list = { bits: 1, lst: deflateSync(new Uint8Array(16_384)).toString('base64url') };
  const listToken = await sign('statuslist+jwt', {
    sub: listUri,
    iat: soon,
    exp: soon + 600,
    status_list: list,
  });
  const server = createServer((request, response) => {
    if (request.url === '/auth/status-lists/1') return response.end(listToken);
    const isKeys = request.url === '/auth/jwks';
    response.end(JSON.stringify(isKeys ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/jwks` }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const internalUrl = `http://127.0.0.1:${server.address().port}/auth`;
  const verifier = AccessTokenVerifier.create({ issuer, audience, internalUrl });
  const make = (index) =>
    sign('at+jwt', {
      iss: issuer,
      aud: audience,
      sub: `user-${index}`,
      client_id: 'demo-web',
      scope: 'links:read links:write',
      jti: `token-${index}`,
      iat: soon,
      exp: soon + 300,
      status: { status_list: { idx: index, uri: listUri } },
    });
  const tokens = await Promise.all(Array.from({ length: 4000 }, (_, index) => make(index)));
  const present = (token) =>
    verifier.verify({ token, scheme: 'bearer', method: 'GET', url: audience });
  for (const token of tokens.slice(0, 1000)) await present(token);
  await measure(`${algorithm} verify, first time`, 3000, (index) => present(tokens[1000 + index]));
  await measure(`${algorithm} verify, known`, 200_000, (index) => present(tokens[index % 4000]));
  measureNow(`${algorithm} peek, known`, 1_000_000, (index) => verifier.peek(tokens[index % 4000]));
  const forged = tokens.map((token) => `${token.slice(0, -8)}AAAAAAAA`.replace(/.$/, 'A'));
  await measure(`${algorithm} verify, forged signature`, 3000, (index) => present(forged[index]));
  const foreign = await sign('at+jwt', { iss: 'https://elsewhere.test', aud: audience });
  await measure(`${algorithm} verify, of another issuer`, 50_000, () => present(foreign));
  verifier.close();
  server.close();
}

async function measure(what, times, run) {
  const before = process.cpuUsage();
  for (let index = 0; index < times; index += 1) await run(index);
  report(what, times, before);
}

function measureNow(what, times, run) {
  const before = process.cpuUsage();
  for (let index = 0; index < times; index += 1) run(index);
  report(what, times, before);
}

function report(what, times, before) {
  const { user, system } = process.cpuUsage(before);
  console.log(`${what.padEnd(34)} ${((user + system) / times).toFixed(2).padStart(8)} µs CPU`);
}
