import { createHmac, createPublicKey } from 'node:crypto';
import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { type CryptoKey, exportSPKI } from 'jose';
import { assemble, HostileIssuer, type IssuerKey, makeKey } from '../test/hostile-issuer.ts';
import { type AccessTokenClaims, TokenRefused } from './access-token.ts';
import { importVerificationKeys, type VerificationKeys } from './verification-keys.ts';
import { type Expectations, verifyAccessToken } from './verify-access-token.ts';

let issuer: HostileIssuer;
let key: IssuerKey;
let rsa: IssuerKey;
let keys: VerificationKeys;
let expected: Expectations;
const now = Math.floor(Date.now() / 1000);

beforeAll(async () => {
  issuer = await HostileIssuer.start();
  key = issuer.keys[0] as IssuerKey;
  rsa = await makeKey('key-rsa', 'RS256');
  keys = (await importVerificationKeys({
    keys: [key.publicJwk, rsa.publicJwk],
  })) as VerificationKeys;
  expected = {
    issuer: issuer.issuer,
    audience: issuer.audience,
    algorithms: ['ES256', 'RS256'],
    clockSkewSeconds: 60,
  };
});

afterAll(() => issuer.stop());

async function judge(token: string, at = now): Promise<AccessTokenClaims | string> {
  const verdict = await verifyAccessToken(token, keys, expected, at);
  return verdict instanceof TokenRefused ? verdict.reason : verdict;
}

describe('a good access token', () => {
  it('is read into claims', async () => {
    const token = await issuer.token({ claims: { jti: 'token-1', iat: now, exp: now + 300 } });
    expect(await judge(token)).toEqual({
      issuer: issuer.issuer,
      subject: 'user-1',
      clientId: 'demo-web',
      audience: [issuer.audience],
      scopes: new Set(['links:read', 'links:write']),
      expiresAt: now + 300,
      issuedAt: now,
      tokenId: 'token-1',
      status: undefined,
      keyThumbprint: undefined,
    });
  });

  it.each([
    ['an RSA signature', async () => issuer.token({ key: rsa })],
    [
      'the long form of its type',
      async () => issuer.token({ header: { typ: 'application/at+jwt' } }),
    ],
    ['its type in capitals', async () => issuer.token({ header: { typ: 'AT+JWT' } })],
    [
      'the issuer as a second audience',
      async () => issuer.token({ claims: { aud: [issuer.audience, issuer.issuer] } }),
    ],
    ['no scope', async () => issuer.token({ claims: { scope: undefined } })],
    ['a client as its subject', async () => issuer.token({ claims: { sub: 'demo-web' } })],
    ['an unknown claim', async () => issuer.token({ claims: { tenant: { id: 7 } } })],
  ])('passes with %s', async (_, make) => {
    expect(typeof (await judge(await make()))).toBe('object');
  });

  it('says where its status is and which key it is bound to', async () => {
    const claims = { ...issuer.statusClaim(42), cnf: { jkt: 'thumbprint' } };
    expect(await judge(await issuer.token({ claims }))).toMatchObject({
      status: { uri: issuer.listUri, index: 42 },
      keyThumbprint: 'thumbprint',
    });
  });
});

describe('a token that is not quite right', () => {
  it.each<[string, string, Parameters<HostileIssuer['token']>[0]]>([
    [
      'an id_token',
      'wrong-type',
      { header: { typ: 'JWT' }, claims: { aud: 'demo-web', nonce: 'n' } },
    ],
    ['a token without a type', 'wrong-type', { header: { typ: undefined } }],
    ['a logout token', 'wrong-type', { header: { typ: 'logout+jwt' } }],
    ['a status list', 'wrong-type', { header: { typ: 'statuslist+jwt' } }],
    ['a DPoP proof', 'wrong-type', { header: { typ: 'dpop+jwt' } }],
    ['a token of another issuer', 'wrong-issuer', { claims: { iss: 'https://evil.example.test' } }],
    [
      'the issuer with a slash',
      'wrong-issuer',
      { claims: { iss: 'https://id.example.test/auth/' } },
    ],
    ['the issuer in capitals', 'wrong-issuer', { claims: { iss: 'https://ID.example.test/auth' } }],
    ['no issuer', 'wrong-issuer', { claims: { iss: undefined } }],
    ['an issuer in a list', 'wrong-issuer', { claims: { iss: ['https://id.example.test/auth'] } }],
    ['another audience', 'wrong-audience', { claims: { aud: 'https://api.example.test' } }],
    ['a client as the audience', 'wrong-audience', { claims: { aud: ['demo-web'] } }],
    [
      'an audience that begins alike',
      'wrong-audience',
      { claims: { aud: 'https://go.example.test.evil.test' } },
    ],
    ['no audience', 'wrong-audience', { claims: { aud: undefined } }],
    [
      'an audience in an object',
      'wrong-audience',
      { claims: { aud: { 0: 'https://go.example.test' } } },
    ],
    ['expiry 60 s ago', 'expired', { claims: { exp: now - 60 } }],
    ['expiry an hour ago', 'expired', { claims: { exp: now - 3600 } }],
    ['no expiry', 'missing-claim', { claims: { exp: undefined } }],
    ['expiry as text', 'missing-claim', { claims: { exp: `${now + 300}` } }],
    ['no subject', 'missing-claim', { claims: { sub: undefined } }],
    ['an empty subject', 'missing-claim', { claims: { sub: '' } }],
    ['a subject that is a number', 'missing-claim', { claims: { sub: 7 } }],
    ['no client', 'missing-claim', { claims: { client_id: undefined } }],
    ['no identifier', 'missing-claim', { claims: { jti: undefined } }],
    ['no time of issue', 'missing-claim', { claims: { iat: undefined } }],
    ['a list of scopes', 'missing-claim', { claims: { scope: ['links:write'] } }],
    ['validity from tomorrow', 'not-yet-valid', { claims: { nbf: now + 86_400 } }],
    ['issue 61 s in the future', 'not-yet-valid', { claims: { iat: now + 61 } }],
    ['a validity that is text', 'missing-claim', { claims: { nbf: 'soon' } }],
    [
      'a binding to a certificate',
      'unknown-confirmation',
      { claims: { cnf: { 'x5t#S256': 'hash' } } },
    ],
    ['two bindings', 'unknown-confirmation', { claims: { cnf: { jkt: 'a', 'x5t#S256': 'b' } } }],
    ['an empty binding', 'unknown-confirmation', { claims: { cnf: {} } }],
    ['a status without a list', 'missing-status', { claims: { status: {} } }],
    [
      'a negative index',
      'missing-status',
      { claims: { status: { status_list: { idx: -1, uri: 'u' } } } },
    ],
    [
      'a broken index',
      'missing-status',
      { claims: { status: { status_list: { idx: 1.5, uri: 'u' } } } },
    ],
    ['an unknown kid', 'unknown-key', { header: { kid: 'key-2' } }],
    ['no kid', 'unknown-key', { header: { kid: undefined } }],
    ['a kid that is an object', 'unknown-key', { header: { kid: { toString: 'key-1' } } }],
    ['the kid __proto__', 'unknown-key', { header: { kid: '__proto__' } }],
  ])('refuses %s: %s', async (_, reason, parts) => {
    expect(await judge(await issuer.token(parts ?? {}))).toBe(reason);
  });

  it('honours 59 s of skew and not 60', async () => {
    const token = await issuer.token({ claims: { exp: now } });
    expect(typeof (await judge(token, now + 59))).toBe('object');
    expect(await judge(token, now + 60)).toBe('expired');
  });

  it('refuses a critical extension, understood or not', async () => {
    const { header, payload, signature } = split(await issuer.token());
    for (const crit of [['b64'], ['x'], []]) {
      expect(await judge(assemble({ ...header, crit, b64: true }, payload, signature))).toBe(
        'malformed',
      );
    }
  });
});

describe('algorithm confusion', () => {
  const claims = () => ({
    iss: issuer.issuer,
    aud: issuer.audience,
    sub: 'admin',
    client_id: 'c',
    jti: 'j',
    iat: now,
    exp: now + 300,
  });

  it.each(['none', 'None', 'NONE', 'nOnE', '', undefined, null, ['ES256'], 0])(
    'refuses alg %p without looking at the signature',
    async (alg) => {
      const header = { alg, kid: 'key-1', typ: 'at+jwt' };
      expect(await judge(assemble(header, claims(), 'x'))).toBe('wrong-algorithm');
    },
  );

  it('refuses an empty signature', async () => {
    const token = assemble({ alg: 'none', kid: 'key-1', typ: 'at+jwt' }, claims(), '');
    expect(await judge(token)).toBe('malformed');
    expect(await judge(token.slice(0, -1))).toBe('malformed');
  });

  it.each(['HS256', 'HS384', 'HS512'])(
    'refuses %s keyed with any form of the public key',
    async (alg) => {
      const header = { alg, kid: 'key-rsa', typ: 'at+jwt' };
      const unsigned = assemble(header, claims(), 'x').split('.').slice(0, 2).join('.');
      const publicKey = createPublicKey({ key: rsa.publicJwk as never, format: 'jwk' });
      const spki = await exportSPKI((keys.get('key-rsa') as { key: CryptoKey }).key);
      const secrets = [
        spki,
        spki.trim(),
        publicKey.export({ type: 'spki', format: 'der' }),
        JSON.stringify(rsa.publicJwk),
      ];
      for (const secret of secrets) {
        const mac = createHmac(alg.replace('HS', 'sha'), secret)
          .update(unsigned)
          .digest('base64url');
        expect(await judge(`${unsigned}.${mac}`)).toBe('wrong-algorithm');
      }
    },
  );

  it.each([
    ['RS256', 'key-1'],
    ['ES256', 'key-rsa'],
  ])('refuses %s under the kid of another kind of key', async (alg, kid) => {
    const signer = alg === 'RS256' ? rsa : key;
    expect(await judge(await issuer.token({ key: signer, header: { kid } }))).toBe(
      'wrong-algorithm',
    );
  });

  it.each(['PS256', 'ES384', 'EdDSA', 'RS512'])('refuses %s, which is not pinned', async (alg) => {
    const stranger = await makeKey('key-1', alg);
    expect(await judge(await issuer.token({ key: stranger }))).toBe('wrong-algorithm');
  });

  it('does not use a key that the token brings along', async () => {
    const stranger = await makeKey('key-1');
    const header = {
      jwk: stranger.publicJwk,
      jku: 'https://evil.example.test/jwks',
      x5u: 'https://evil.example.test',
    };
    expect(await judge(await issuer.token({ key: stranger, header }))).toBe('wrong-signature');
  });
});

describe('a mangled token', () => {
  it('is refused wherever one character was changed', async () => {
    const token = await issuer.token();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \n';
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: token.length - 1 }),
        fc.constantFrom(...alphabet),
        async (at, character) => {
          fc.pre(token[at] !== character);
          const mangled = token.slice(0, at) + character + token.slice(at + 1);
          expect(typeof (await judge(mangled))).toBe('string');
        },
      ),
      runs(600),
    );
  });

  it('is refused with claims changed under its old signature', async () => {
    const token = await issuer.token();
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(claims), 'scope', 'cnf', 'status', 'nbf', '__proto__'),
        fc.oneof(fc.jsonValue(), fc.constantFrom('admin', now + 1e6, [issuer.audience, 'x'])),
        async (name, value) => {
          const changed = JSON.stringify(
            Object.fromEntries([...Object.entries(claims), [name, value]]),
          );
          const part = Buffer.from(changed).toString('base64url');
          fc.pre(part !== payload);
          expect(typeof (await judge(`${header}.${part}.${signature}`))).toBe('string');
        },
      ),
      runs(400),
    );
  });

  it('is refused with parts cut, doubled or swapped', async () => {
    const tokens = [await issuer.token(), await issuer.token({ claims: { sub: 'user-2' } })];
    const parts = tokens.flatMap((token) => token.split('.'));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 5 }), { maxLength: 5 }), async (order) => {
        const mixed = order.map((index) => parts[index]).join('.');
        fc.pre(!tokens.includes(mixed));
        expect(typeof (await judge(mixed))).toBe('string');
      }),
      runs(400),
    );
  });

  it('is refused whatever JSON stands in its header and payload', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.jsonValue(),
        fc.string(),
        async (header, payload, signature) => {
          expect(typeof (await judge(assemble(header, payload, signature)))).toBe('string');
        },
      ),
      runs(400),
    );
  });

  it('is refused whatever text it is, quickly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 9000 }), async (text) => {
        expect(await judge(text)).toBe('malformed');
      }),
      runs(200),
    );
    expect(await judge(`${'a'.repeat(9000)}.${'b'.repeat(9000)}.c`)).toBe('malformed');
  });

  it('has one spelling: spare bits of the signature must be zero', async () => {
    const token = await issuer.token();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(token.at(-1) as string);
    for (let spare = 1; spare < 16; spare += 1) {
      const respelled = token.slice(0, -1) + (alphabet[last ^ spare] as string);
      expect(await judge(respelled)).toBe('malformed');
    }
  });
});

describe('a key set', () => {
  it('keeps public signing keys alone', async () => {
    const secret = { kty: 'oct', k: 'c2VjcmV0', kid: 'oct', alg: 'HS256' };
    const leaked = { ...key.publicJwk, kid: 'leaked', d: 'AAAA' };
    const encryption = { ...rsa.publicJwk, kid: 'enc', use: 'enc' };
    const symmetric = { ...rsa.publicJwk, kid: 'hs', alg: 'HS256' };
    const nameless = { ...key.publicJwk, kid: undefined };
    const broken = { kty: 'EC', crv: 'P-256', kid: 'broken', x: 'AA', y: 'AA' };
    const usable = { ...key.publicJwk, alg: undefined };
    const all = [secret, leaked, encryption, symmetric, nameless, broken, null, 'key', usable];
    const imported = await importVerificationKeys({ keys: all });
    expect([...(imported ?? [])].map(([kid, { algorithm }]) => [kid, algorithm])).toEqual([
      ['key-1', 'ES256'],
    ]);
  });

  it.each([undefined, null, [], {}, { keys: {} }, 'keys'])('is not %p', async (document) => {
    expect(await importVerificationKeys(document)).toBeUndefined();
  });
});

function split(token: string) {
  const [header, payload, signature] = token.split('.') as [string, string, string];
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  return {
    header: decode(header),
    payload: decode(payload),
    signature: Buffer.from(signature, 'base64url'),
  };
}
