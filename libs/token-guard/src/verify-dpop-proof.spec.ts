import { createHash, createHmac } from 'node:crypto';
import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { assemble, makeProver } from '../test/hostile-issuer.ts';
import { TokenRefused } from './access-token.ts';
import { ProofReplays } from './proof-replays.ts';
import { normalizeTarget, verifyDpopProof } from './verify-dpop-proof.ts';

const now = Math.floor(Date.now() / 1000);
const request = {
  method: 'POST',
  url: 'https://go.example.test/shorten',
  accessToken: 'access-token',
};
let prover: Awaited<ReturnType<typeof makeProver>>;

beforeAll(async () => {
  prover = await makeProver();
});

async function judge(proof: string, changed: Partial<typeof request> = {}): Promise<string> {
  const verdict = await verifyDpopProof(
    proof,
    {
      ...request,
      ...changed,
      keyThumbprint: prover.thumbprint,
      algorithms: ['ES256', 'RS256', 'PS256'],
      lifetimeSeconds: 60,
      clockSkewSeconds: 10,
    },
    now,
  );
  return verdict instanceof TokenRefused ? verdict.reason : 'good';
}

describe('a DPoP proof', () => {
  it('is good for its method, address, token and key', async () => {
    expect(await judge(await prover.prove(request))).toBe('good');
  });

  it.each<[string, string, Parameters<typeof prover.prove>[1]]>([
    ['without a type', 'proof-malformed', { header: { typ: undefined } }],
    ['of the type of an access token', 'proof-malformed', { header: { typ: 'at+jwt' } }],
    ['without a key', 'proof-malformed', { header: { jwk: undefined } }],
    ['with a key that is text', 'proof-malformed', { header: { jwk: 'key' } }],
    ['with a symmetric key', 'proof-malformed', { header: { jwk: { kty: 'oct', k: 'AA' } } }],
    ['without an identifier', 'proof-malformed', { claims: { jti: undefined } }],
    ['with an empty identifier', 'proof-malformed', { claims: { jti: '' } }],
    ['without a time', 'proof-malformed', { claims: { iat: undefined } }],
    ['without a method', 'proof-wrong-request', { claims: { htm: undefined } }],
    ['for another method', 'proof-wrong-request', { claims: { htm: 'GET' } }],
    ['for its method in small letters', 'proof-wrong-request', { claims: { htm: 'post' } }],
    ['without an address', 'proof-wrong-request', { claims: { htu: undefined } }],
    [
      'for another path',
      'proof-wrong-request',
      { claims: { htu: 'https://go.example.test/links' } },
    ],
    ['for another host', 'proof-wrong-request', { claims: { htu: 'https://evil.test/shorten' } }],
    ['for http', 'proof-wrong-request', { claims: { htu: 'http://go.example.test/shorten' } }],
    ['for a path alone', 'proof-wrong-request', { claims: { htu: '/shorten' } }],
    ['for a list of addresses', 'proof-wrong-request', { claims: { htu: [request.url] } }],
    ['without a token', 'proof-wrong-token', { claims: { ath: undefined } }],
    ['for another token', 'proof-wrong-token', { claims: { ath: 'other' } }],
    ['made 70 s ago', 'proof-wrong-time', { claims: { iat: now - 70 } }],
    ['made 11 s ahead', 'proof-wrong-time', { claims: { iat: now + 11 } }],
  ])('%s is refused: %s', async (_, reason, parts) => {
    expect(await judge(await prover.prove(request, parts))).toBe(reason);
  });

  it.each([now - 69, now + 10])('made at %d is recent enough', async (iat) => {
    expect(await judge(await prover.prove(request, { claims: { iat } }))).toBe('good');
  });

  it('that shows its private key is refused', async () => {
    const jwk = { ...prover.jwk, d: 'c2VjcmV0' };
    expect(await judge(await prover.prove(request, { header: { jwk } }))).toBe('proof-malformed');
  });

  it('of another key is refused, good as its signature is', async () => {
    const thief = await makeProver();
    expect(await judge(await thief.prove(request))).toBe('proof-wrong-key');
  });

  it('that names the bound key but is signed by another is refused', async () => {
    const thief = await makeProver();
    const proof = await thief.prove(request, { header: { jwk: prover.jwk } });
    expect(await judge(proof)).toBe('proof-wrong-signature');
  });

  it.each(['none', 'HS256', 'ES384'])('with alg %s is refused', async (alg) => {
    const claims = { jti: 'j', htm: 'POST', htu: request.url, iat: now };
    const header = { alg, typ: 'dpop+jwt', jwk: prover.jwk };
    const mac = createHmac('sha256', JSON.stringify(prover.jwk)).update('x').digest();
    expect(await judge(assemble(header, claims, mac))).toBe('proof-wrong-algorithm');
  });

  it.each(['', 'a.b.c', 'proof, proof', 'x'.repeat(10_000)])(
    '%# that is no JWT is refused',
    async (proof) => {
      expect(await judge(proof)).toBe('proof-malformed');
    },
  );

  it('sent twice in one request is refused', async () => {
    const proof = await prover.prove(request);
    expect(await judge(`${proof}, ${proof}`)).toBe('proof-malformed');
  });

  it('works with RSA keys of the pinned algorithms', async () => {
    prover = await makeProver('PS256');
    expect(await judge(await prover.prove(request))).toBe('good');
    prover = await makeProver();
  });
});

describe('the address of a proof', () => {
  it.each([
    ['HTTPS://GO.example.test/shorten', 'https://go.example.test/shorten'],
    ['https://go.example.test:443/shorten', 'https://go.example.test/shorten'],
    ['http://localhost:80/x', 'http://localhost/x'],
    ['https://go.example.test/shorten?q=1#f', 'https://go.example.test/shorten'],
    ['https://go.example.test/a/../shorten', 'https://go.example.test/shorten'],
    ['https://go.example.test/%73horten', 'https://go.example.test/shorten'],
    ['https://go.example.test/%c3%a9', 'https://go.example.test/%C3%A9'],
    ['https://go.example.test', 'https://go.example.test/'],
  ])('%s is the same as %s', (address, same) => {
    expect(normalizeTarget(address)).toBe(normalizeTarget(same));
    expect(normalizeTarget(same)).toBeDefined();
  });

  it.each([
    ['https://go.example.test/shorten/', 'https://go.example.test/shorten'],
    ['https://go.example.test/a%2Fb', 'https://go.example.test/a/b'],
    ['https://go.example.test/Shorten', 'https://go.example.test/shorten'],
    ['https://go.example.test:8443/shorten', 'https://go.example.test/shorten'],
  ])('%s is not the same as %s', (address, other) => {
    expect(normalizeTarget(address)).not.toBe(normalizeTarget(other));
  });

  it.each(['', 'go.example.test/x', 'ftp://x/y', 'https://user@x/y', 'javascript:1'])(
    '%p is no address',
    (address) => {
      expect(normalizeTarget(address)).toBeUndefined();
    },
  );
});

describe('replays', () => {
  const make = (capacity = 100) => new ProofReplays({ capacity, memorySeconds: 70 });

  it('are noticed, per key', () => {
    const replays = make();
    expect(replays.use('key-1', { proofId: 'a', issuedAt: now }, now)).toBe(true);
    expect(replays.use('key-1', { proofId: 'a', issuedAt: now }, now + 5)).toBe(false);
    expect(replays.use('key-1', { proofId: 'b', issuedAt: now }, now)).toBe(true);
    expect(replays.use('key-2', { proofId: 'a', issuedAt: now }, now)).toBe(true);
  });

  it('are forgotten when the proof is too old to be used', () => {
    const replays = make();
    for (let index = 0; index < 50; index += 1)
      replays.use('key', { proofId: `${index}`, issuedAt: now }, now);
    expect(replays.size).toBe(50);
    replays.use('key', { proofId: 'later', issuedAt: now + 71 }, now + 71);
    expect(replays.size).toBe(1);
  });

  it('stay impossible when a flood makes the memory overflow', () => {
    const replays = make(10);
    expect(replays.use('victim', { proofId: 'a', issuedAt: now }, now)).toBe(true);
    for (let index = 0; index < 30; index += 1)
      replays.use('attacker', { proofId: `${index}`, issuedAt: now + 1 }, now + 1);
    expect(replays.size).toBeLessThanOrEqual(10);
    expect(replays.use('victim', { proofId: 'a', issuedAt: now }, now + 2)).toBe(false);
    expect(replays.use('victim', { proofId: 'b', issuedAt: now + 2 }, now + 2)).toBe(true);
  });
});

describe('a mangled proof', () => {
  it('is refused wherever characters were changed, cut or put in', async () => {
    const proof = await prover.prove(request);
    const edit = fc.record({
      at: fc.nat(proof.length - 1),
      cut: fc.nat(3),
      put: fc.stringMatching(/^[\w.=+/-]{0,3}$/),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), async (edits) => {
        const mangled = edits.reduce(
          (text, { at, cut, put }) => text.slice(0, at) + put + text.slice(at + cut),
          proof,
        );
        fc.pre(mangled !== proof);
        expect(await judge(mangled)).toMatch(/^proof-/);
      }),
      runs(400),
    );
  });

  it('is refused whatever JSON stands in its header, its key and its payload', async () => {
    const header = fc.record({
      typ: fc.constant('dpop+jwt'),
      alg: fc.constantFrom('ES256', 'RS256', 'PS256', 'none', 'HS256'),
      jwk: fc.oneof(
        fc.jsonValue(),
        fc.record({
          kty: fc.constantFrom('EC', 'RSA', 'OKP', 'oct'),
          crv: fc.constantFrom('P-256', 'Ed25519', 'x'),
          x: fc.base64String({ maxLength: 44 }),
          y: fc.base64String({ maxLength: 44 }),
          n: fc.base64String({ maxLength: 44 }),
          e: fc.constantFrom('AQAB', 'AA', ''),
        }),
      ),
    });
    const payload = fc.record({
      jti: fc.constantFrom('a', ''),
      iat: fc.oneof(fc.constant(now), fc.jsonValue()),
      htm: fc.constant(request.method),
      htu: fc.oneof(fc.constant(request.url), fc.webUrl(), fc.string()),
      ath: fc.constant(createHash('sha256').update(request.accessToken).digest('base64url')),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(header, fc.jsonValue()),
        fc.oneof(payload, fc.jsonValue()),
        fc.string(),
        async (head, body, signature) => {
          expect(await judge(assemble(head, body, signature))).toMatch(/^proof-/);
        },
      ),
      runs(400),
    );
  });

  it('has an address that is normalised once and for all, or none', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string()),
        (text) => {
          const target = normalizeTarget(text);
          if (target === undefined) return;
          expect(normalizeTarget(target)).toBe(target);
          expect(target).not.toMatch(/[?#]/);
        },
      ),
      runs(1_000),
    );
  });
});
