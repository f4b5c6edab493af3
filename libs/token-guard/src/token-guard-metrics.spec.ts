import { Registry } from 'prom-client';
import { HostileIssuer } from '../test/hostile-issuer.ts';
import { AccessTokenVerifier } from './access-token-verifier.ts';
import { TokenGuardMetrics } from './token-guard-metrics.ts';

let issuer: HostileIssuer;
let verifier: AccessTokenVerifier;

beforeEach(async () => {
  issuer = await HostileIssuer.start();
});
afterEach(async () => {
  verifier.close();
  await issuer.stop();
});

it('shows verdicts, fetches and how late a revocation may be noticed', async () => {
  const registry = new Registry();
  const metrics = new TokenGuardMetrics(registry);
  let offsetMs = 0;
  verifier = AccessTokenVerifier.create({
    issuer: issuer.issuer,
    audience: issuer.audience,
    internalUrl: issuer.internalUrl,
    observe: metrics.observe,
    now: () => Date.now() + offsetMs,
    statusPollMs: 60_000,
  });
  metrics.watch(verifier);
  const verify = async (parts = {}) => {
    const token = await issuer.token(parts);
    await verifier.verify({ token, scheme: 'bearer', method: 'GET', url: issuer.audience });
  };
  await verify({ claims: issuer.statusClaim(1) });
  await verify({ claims: { exp: 1 } });
  issuer.misbehave('/status-lists/1', (_, response) => response.writeHead(500).end());
  offsetMs = 61_000;
  await verify({ claims: { ...issuer.statusClaim(2), exp: Math.floor(Date.now() / 1000) + 900 } });
  const text = await registry.metrics();
  expect(text).toContain('token_guard_verdicts_total{outcome="accepted",reason="verified"} 2');
  expect(text).toContain('token_guard_verdicts_total{outcome="refused",reason="expired"} 1');
  expect(text).toContain('token_guard_key_fetches_total{cause="first",outcome="fetched"} 1');
  expect(text).toContain('token_guard_status_fetches_total{outcome="changed"} 1');
  expect(text).toContain('token_guard_cached_tokens 2');
  const [, age] = /^token_guard_status_age_seconds (\S+)$/m.exec(text) ?? [];
  expect(Number(age)).toBeGreaterThan(60);
});
