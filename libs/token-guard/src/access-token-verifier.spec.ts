import { HostileIssuer, makeKey, makeProver, until } from '../test/hostile-issuer.ts';
import { type AccessTokenClaims, ownerOf, TokenRefused, TokenUndecided } from './access-token.ts';
import { AccessTokenVerifier, type AccessTokenVerifierOptions } from './access-token-verifier.ts';
import type { TokenGuardEvent } from './observer.ts';
import type { PresentedToken } from './presented-token.ts';

let issuer: HostileIssuer;
let verifier: AccessTokenVerifier;
let offsetMs: number;
let events: TokenGuardEvent[];

beforeEach(async () => {
  issuer = await HostileIssuer.start();
  offsetMs = 0;
  events = [];
  verifier = make();
});
afterEach(async () => {
  verifier.close();
  await issuer.stop();
});

function make(options: Partial<AccessTokenVerifierOptions> = {}): AccessTokenVerifier {
  return AccessTokenVerifier.create({
    issuer: issuer.issuer,
    audience: issuer.audience,
    internalUrl: `${issuer.internalUrl}/`,
    timeoutMs: 300,
    now: () => Date.now() + offsetMs,
    observe: (event) => void events.push(event),
    ...options,
  });
}

const url = 'https://go.example.test/shorten';

async function verify(token: string, presented: Partial<PresentedToken> = {}): Promise<string> {
  const verdict = await verifier.verify({
    token,
    scheme: 'bearer',
    method: 'POST',
    url,
    ...presented,
  });
  if (verdict instanceof TokenRefused) return verdict.reason;
  if (verdict instanceof TokenUndecided) return `undecided: ${verdict.lacking}`;
  return ownerOf(verdict);
}

describe('a verified token', () => {
  it('is known at once afterwards, by peek as well', async () => {
    const token = await issuer.token();
    expect(verifier.peek(token)).toBeUndefined();
    expect(await verify(token)).toBe('user:user-1');
    expect((verifier.peek(token) as AccessTokenClaims).subject).toBe('user-1');
    expect(await verify(token)).toBe('user:user-1');
    expect(events.filter(({ kind }) => kind === 'token-accepted')).toEqual([
      { kind: 'token-accepted', cached: false },
      { kind: 'token-accepted', cached: true },
    ]);
  });

  it('acts for its client where client and subject are one', async () => {
    expect(await verify(await issuer.token({ claims: { sub: 'demo-web' } }))).toBe(
      'client:demo-web',
    );
  });

  it('is not kept beyond its expiry, though the skew lets it pass a little longer', async () => {
    const token = await issuer.token({ claims: { exp: Math.floor(Date.now() / 1000) + 30 } });
    await verify(token);
    offsetMs += 31_000;
    expect(verifier.peek(token)).toBeUndefined();
    expect(await verify(token)).toBe('user:user-1');
    expect(verifier.peek(token)).toBeUndefined();
    offsetMs += 10_000;
    expect(await verify(token)).toBe('expired');
  });

  it('is verified anew when a key was withdrawn', async () => {
    issuer.jwksCacheControl = 'max-age=10';
    const token = await issuer.token();
    await verify(token);
    const next = await makeKey('key-2');
    issuer.keys = [next];
    offsetMs += 11_000;
    await until(() => verifier.peek(token) === undefined);
    expect(await verify(token)).toBe('unknown-key');
  });

  it('costs one verification however many come at once', async () => {
    const token = await issuer.token();
    const owners = await Promise.all(Array.from({ length: 100 }, () => verify(token)));
    expect(new Set(owners)).toEqual(new Set(['user:user-1']));
    expect(issuer.count('/jwks')).toBe(1);
    expect(verifier.state.cachedTokens).toBe(1);
  });

  it('is one of a bounded number, the idle ones leave first', async () => {
    verifier = make({ cacheSize: 10 });
    const busy = await issuer.token();
    await verify(busy);
    for (let index = 0; index < 40; index += 1) {
      await verify(await issuer.token());
      expect(verifier.peek(busy)).toBeDefined();
    }
    expect(verifier.state.cachedTokens).toBe(10);
  });

  it('is no other token, even by one character', async () => {
    const token = await issuer.token();
    await verify(token);
    expect(verifier.peek(`${token.slice(0, -2)}AA`)).toBeUndefined();
    expect(await verify(`${token.slice(0, -2)}AA`)).toMatch(/wrong-signature|malformed/);
  });
});

describe('keys', () => {
  it('are asked for once more for an unknown kid, then the token is refused', async () => {
    await verify(await issuer.token());
    const unpublished = await makeKey('key-9');
    expect(await verify(await issuer.token({ key: unpublished }))).toBe('unknown-key');
    expect(issuer.count('/jwks')).toBe(2);
  });

  it('that were rotated in are found', async () => {
    await verify(await issuer.token());
    const next = await makeKey('key-2', 'RS256');
    issuer.keys.push(next);
    expect(await verify(await issuer.token({ key: next }))).toBe('user:user-1');
  });

  it('are not asked for by a thousand tokens with invented kids', async () => {
    await verify(await issuer.token());
    for (let index = 0; index < 1000; index += 1) {
      const token = await issuer.token({ header: { kid: `invented-${index}` } });
      expect(await verify(token)).toBe('unknown-key');
    }
    expect(issuer.count('/jwks')).toBeLessThanOrEqual(3);
  });

  it('are not asked for by a token that is wrong anyway', async () => {
    await verify(await issuer.token());
    const parts = [
      { header: { kid: 'x' }, claims: { iss: 'https://evil.test' } },
      { header: { kid: 'x' }, claims: { exp: 1 } },
      { header: { kid: 'x', typ: 'JWT' } },
    ];
    for (const part of parts) await verify(await issuer.token(part));
    expect(issuer.count('/jwks')).toBe(1);
  });

  it('out of reach leave a token undecided, not refused', async () => {
    issuer.misbehave('/jwks', (_, response) => response.writeHead(500).end());
    expect(await verify(await issuer.token())).toBe('undecided: signing-keys');
    expect(events.at(-1)).toEqual({ kind: 'token-undecided', lacking: 'signing-keys' });
  });
});

describe('a token with a status', () => {
  it('is honoured until it is revoked, and within 2 s no longer', async () => {
    const token = await issuer.token({ claims: issuer.statusClaim(5) });
    expect(await verify(token)).toBe('user:user-1');
    expect(verifier.peek(token)).toBeDefined();
    issuer.revoked.add(5);
    const revokedAt = Date.now();
    await until(() => verifier.peek(token) === undefined);
    expect(await verify(token)).toBe('revoked');
    expect(Date.now() - revokedAt).toBeLessThan(2_000);
  });

  it('of a list elsewhere is refused', async () => {
    const claims = issuer.statusClaim(5, 'https://evil.example.test/status-lists/1');
    expect(await verify(await issuer.token({ claims }))).toBe('foreign-status-list');
  });

  it('is undecided while the list is out of reach', async () => {
    issuer.misbehave('/status-lists/1', (_, response) => response.writeHead(500).end());
    const token = await issuer.token({ claims: issuer.statusClaim(5) });
    expect(await verify(token)).toBe('undecided: status');
    expect(verifier.peek(token)).toBeUndefined();
    issuer.behave('/status-lists/1');
    await until(async () => (await verify(token)) === 'user:user-1');
  });

  it('is required where a service says so', async () => {
    verifier = make({ requireStatus: true });
    expect(await verify(await issuer.token())).toBe('missing-status');
    expect(await verify(await issuer.token({ claims: issuer.statusClaim(5) }))).toBe('user:user-1');
  });
});

describe('a token bound to a key', () => {
  let prover: Awaited<ReturnType<typeof makeProver>>;
  let token: string;

  beforeEach(async () => {
    prover = await makeProver();
    token = await issuer.token({ claims: { cnf: { jkt: prover.thumbprint } } });
  });

  const prove = (parts = {}) => prover.prove({ method: 'POST', url, accessToken: token }, parts);

  it('is good with its proof, once a proof', async () => {
    const dpopProof = await prove();
    expect(await verify(token, { scheme: 'dpop', dpopProof })).toBe('user:user-1');
    expect(await verify(token, { scheme: 'dpop', dpopProof })).toBe('proof-replayed');
    expect(await verify(token, { scheme: 'dpop', dpopProof: await prove() })).toBe('user:user-1');
  });

  it('is good once when ten use one proof at once', async () => {
    const dpopProof = await prove();
    const verdicts = await Promise.all(
      Array.from({ length: 10 }, () => verify(token, { scheme: 'dpop', dpopProof })),
    );
    expect(verdicts.filter((verdict) => verdict === 'user:user-1')).toHaveLength(1);
    expect(verdicts.filter((verdict) => verdict === 'proof-replayed')).toHaveLength(9);
  });

  it('is good once a proof among all processes that remember together', async () => {
    const noted = new Set<string>();
    const proofMemory = {
      note: async (proof: string) => noted.size < noted.add(proof).size,
    };
    const processes = [make({ proofMemory }), make({ proofMemory })];
    const dpopProof = await prove();
    const verdicts = await Promise.all(
      processes.map((process) =>
        process.verify({ token, scheme: 'dpop', method: 'POST', url, dpopProof }),
      ),
    );
    expect(verdicts.filter((verdict) => verdict instanceof TokenRefused)).toMatchObject([
      { reason: 'proof-replayed' },
    ]);
    for (const process of processes) process.close();
  });

  it('is judged by what this process knows while the shared memory is away', async () => {
    verifier = make({
      proofMemory: { note: async () => Promise.reject(new Error('away')) },
    });
    const dpopProof = await prove();
    expect(await verify(token, { scheme: 'dpop', dpopProof })).toBe('user:user-1');
    expect(await verify(token, { scheme: 'dpop', dpopProof })).toBe('proof-replayed');
    expect(events).toContainEqual({ kind: 'proof-memory-failed' });
  });

  it('is refused without a proof, and as a bearer token with one', async () => {
    expect(await verify(token, { scheme: 'dpop' })).toBe('proof-required');
    expect(await verify(token)).toBe('proof-required');
    expect(await verify(token, { dpopProof: await prove() })).toBe('proof-required');
  });

  it('never passes by peek', async () => {
    await verify(token, { scheme: 'dpop', dpopProof: await prove() });
    expect(verifier.peek(token)).toBeUndefined();
  });

  it('is refused with the proof of another request', async () => {
    const dpopProof = await prove();
    expect(await verify(token, { scheme: 'dpop', dpopProof, method: 'GET' })).toBe(
      'proof-wrong-request',
    );
    expect(
      await verify(token, { scheme: 'dpop', dpopProof, url: 'https://go.example.test/links' }),
    ).toBe('proof-wrong-request');
  });

  it('does not cost its proof while its status is out of reach', async () => {
    token = await issuer.token({
      claims: { cnf: { jkt: prover.thumbprint }, ...issuer.statusClaim(3) },
    });
    const dpopProof = await prove();
    issuer.misbehave('/status-lists/1', (_, response) => response.writeHead(500).end());
    expect(await verify(token, { scheme: 'dpop', dpopProof })).toBe('undecided: status');
    issuer.behave('/status-lists/1');
    await until(async () => (await verify(token, { scheme: 'dpop', dpopProof })) === 'user:user-1');
  });

  it('is the only kind that the DPoP scheme takes', async () => {
    const unbound = await issuer.token();
    const dpopProof = await prover.prove({ method: 'POST', url, accessToken: unbound });
    expect(await verify(unbound, { scheme: 'dpop', dpopProof })).toBe('not-bound');
  });
});

it('refuses more than a minute of clock skew', () => {
  expect(() => make({ clockSkewSeconds: 61 })).toThrow(RangeError);
  expect(() => make({ clockSkewSeconds: Number.NaN })).toThrow(RangeError);
});
