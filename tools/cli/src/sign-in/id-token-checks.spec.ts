import { createHmac, createPublicKey } from 'node:crypto';
import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { exportSPKI, importJWK } from 'jose';
import { assemble, type IssuerKey, makeKey, signWith } from '../../test/hostile-issuer.ts';
import {
  checkIdToken,
  hashOfAccessToken,
  type IdTokenExpectations,
  type IdTokenKey,
  IdTokenRefused,
  NONE_SENT,
  REFRESHED,
} from './id-token-checks.ts';
import { Login } from './login.ts';

const now = Math.floor(Date.now() / 1000);
const accessToken = 'the-access-token';
let es: IssuerKey;
let rs: IssuerKey;
let published: Map<string, IdTokenKey>;
let asked: string[];
let expected: IdTokenExpectations;

async function toKey({ publicJwk, algorithm }: IssuerKey): Promise<IdTokenKey> {
  return { algorithm, key: (await importJWK(publicJwk, algorithm)) as IdTokenKey['key'] };
}

beforeAll(async () => {
  [es, rs] = [await makeKey('key-es'), await makeKey('key-rs', 'RS256')];
  published = new Map([
    ['key-es', await toKey(es)],
    ['key-rs', await toKey(rs)],
  ]);
});
beforeEach(() => {
  asked = [];
  expected = {
    findKey: async (kid) => {
      asked.push(kid);
      return published.get(kid);
    },
    issuer: 'https://id.example.test/auth',
    clientId: 'demo-cli',
    nonce: 'nonce-1',
    accessToken,
  };
});

const good = () => ({
  iss: 'https://id.example.test/auth',
  aud: 'demo-cli' as unknown,
  sub: 'user-1',
  nonce: 'nonce-1',
  iat: now,
  exp: now + 3600,
  at_hash: hashOfAccessToken(accessToken, 'ES256'),
});
const sign = (
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  key = es,
) =>
  signWith(
    key,
    { alg: key.algorithm, kid: key.kid, typ: 'JWT', ...header },
    { ...good(), ...claims },
  );

async function judge(idToken: string, at = now, changed: Partial<IdTokenExpectations> = {}) {
  const verdict = await checkIdToken(idToken, { ...expected, ...changed }, at);
  return verdict instanceof IdTokenRefused ? verdict.reason : verdict;
}

describe('a good id_token', () => {
  it('says who logged in', async () => {
    const idToken = await sign({ name: 'Demo', email: 'demo@example.com', email_verified: true });
    expect(await judge(idToken)).toEqual({
      subject: 'user-1',
      name: 'Demo',
      email: 'demo@example.com',
      emailVerified: true,
    });
    expect(asked).toEqual(['key-es']);
  });

  it.each<[string, () => Promise<string>]>([
    ['an RSA signature', () => sign({}, {}, rs)],
    ['no at_hash', () => sign({ at_hash: undefined })],
    ['a list of one audience', () => sign({ aud: ['demo-cli'] })],
    [
      'a second audience, made for this client',
      () => sign({ aud: ['demo-cli', 'x'], azp: 'demo-cli' }),
    ],
    ['no type', () => sign({}, { typ: undefined })],
  ])('may have %s', async (_, make) => {
    expect(await judge(await make())).toMatchObject({ subject: 'user-1' });
  });
});

describe('the seven checks', () => {
  it('1: refuse an unknown kid, and no kid', async () => {
    expect(await judge(await sign({}, { kid: 'key-9' }))).toBe('unknown-key');
    expect(await judge(await sign({}, { kid: undefined }))).toBe('unknown-key');
    expect(await judge(await sign({}, { kid: { a: 1 } }))).toBe('unknown-key');
  });

  it.each(['none', 'None', 'NONE', '', null, undefined, ['ES256']])(
    '2: refuse alg %p',
    async (alg) => {
      const idToken = assemble({ alg, kid: 'key-es' }, good(), 'x');
      expect(await judge(idToken)).toBe('wrong-algorithm');
      expect(await judge(`${idToken.split('.').slice(0, 2).join('.')}.`)).toBe('malformed');
    },
  );

  it.each(['HS256', 'HS384', 'HS512'])('2: refuse %s keyed with the public key', async (alg) => {
    const spki = await exportSPKI((published.get('key-rs') as IdTokenKey).key);
    const der = createPublicKey(spki).export({ type: 'spki', format: 'der' });
    for (const secret of [spki, spki.trim(), der, JSON.stringify(rs.publicJwk)]) {
      const unsigned = assemble({ alg, kid: 'key-rs' }, good(), 'x')
        .split('.')
        .slice(0, 2)
        .join('.');
      const mac = createHmac(alg.replace('HS', 'sha'), secret).update(unsigned).digest('base64url');
      expect(await judge(`${unsigned}.${mac}`)).toBe('wrong-algorithm');
    }
  });

  it('2: refuse an algorithm that is not the one of the key', async () => {
    expect(await judge(await sign({}, { kid: 'key-rs' }))).toBe('wrong-algorithm');
    const ps = await makeKey('key-rs', 'PS256');
    expect(await judge(await sign({}, {}, ps))).toBe('wrong-algorithm');
  });

  it('2: refuse the signature of a stranger under a known kid', async () => {
    const stranger = await makeKey('key-es');
    expect(await judge(await sign({}, { jwk: stranger.publicJwk }, stranger))).toBe(
      'wrong-signature',
    );
  });

  it.each([
    'https://id.example.test/auth/',
    'https://id.example.test',
    'https://ID.example.test/auth',
    'http://id.example.test/auth',
    undefined,
    ['https://id.example.test/auth'],
  ])('3: refuse the issuer %p', async (iss) => {
    expect(await judge(await sign({ iss }))).toBe('wrong-issuer');
  });

  it.each([
    ['another client', { aud: 'demo-web' }],
    ['no client', { aud: undefined }],
    ['an empty list', { aud: [] }],
    ['a client that begins alike', { aud: 'demo-cli-2' }],
    ['several, without azp', { aud: ['demo-cli', 'demo-web'] }],
    ['several, made for another', { aud: ['demo-cli', 'demo-web'], azp: 'demo-web' }],
    ['this one, made for another', { aud: 'demo-cli', azp: 'demo-web' }],
  ])('4: refuse the audience of %s', async (_, claims) => {
    expect(await judge(await sign(claims))).toBe('wrong-audience');
  });

  it('5: let 59 s of skew pass, refuse 60 and 61', async () => {
    const idToken = await sign({ exp: now });
    expect(await judge(idToken, now + 59)).toMatchObject({ subject: 'user-1' });
    expect(await judge(idToken, now + 60)).toBe('expired');
    expect(await judge(idToken, now + 61)).toBe('expired');
  });

  it.each([undefined, null, `${now + 60}`, Number.NaN, {}])(
    '5: refuse the expiry %p',
    async (exp) => {
      expect(await judge(await sign({ exp }))).toBe('expired');
    },
  );

  it.each(['nonce-2', '', undefined, ['nonce-1'], 'nonce-1 '])(
    '6: refuse the nonce %p',
    async (nonce) => {
      expect(await judge(await sign({ nonce }))).toBe('wrong-nonce');
    },
  );

  it('6: refuse any nonce where none was sent', async () => {
    expect(await judge(await sign(), now, { nonce: NONE_SENT })).toBe('wrong-nonce');
    const idToken = await sign({ nonce: undefined });
    expect(await judge(idToken, now, { nonce: NONE_SENT })).toMatchObject({ subject: 'user-1' });
  });

  it('6: ask no nonce of an id_token that a refresh brought', async () => {
    const idToken = await sign({ nonce: undefined });
    expect(await judge(idToken, now, { nonce: REFRESHED })).toMatchObject({ subject: 'user-1' });
  });

  it.each([hashOfAccessToken('another', 'ES256'), '', 7, null])(
    '7: refuse the at_hash %p',
    async (atHash) => {
      expect(await judge(await sign({ at_hash: atHash }))).toBe('wrong-access-token');
    },
  );

  it('7: agree with the example of OpenID Connect Core, appendix A.3', () => {
    expect(hashOfAccessToken('jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y', 'RS256')).toBe(
      '77QmUPtjPfzWtF2AnpK9RQ',
    );
  });

  it.each(['', undefined, 7])('and refuse the subject %p', async (sub) => {
    expect(await judge(await sign({ sub }))).toBe('no-subject');
  });

  it('are made in the order of the specification: the first fault is the one that is named', async () => {
    const stranger = await makeKey('key-es');
    const faults: [string, Record<string, unknown>, Record<string, unknown>, IssuerKey][] = [
      ['unknown-key', {}, { kid: 'key-9' }, stranger],
      ['wrong-algorithm', {}, { kid: 'key-rs' }, stranger],
      ['wrong-signature', {}, {}, stranger],
      ['wrong-issuer', { iss: 'x' }, {}, es],
      ['wrong-audience', { aud: 'x' }, {}, es],
      ['expired', { exp: 1 }, {}, es],
      ['wrong-nonce', { nonce: 'x' }, {}, es],
      ['wrong-access-token', { at_hash: 'x' }, {}, es],
    ];
    for (const [index, [reason, , header, key]] of faults.entries()) {
      const later = Object.assign({}, ...faults.slice(index).map(([, claims]) => claims));
      expect(await judge(await sign(later, header, key))).toBe(reason);
    }
  });
});

describe('a mangled id_token', () => {
  it('is refused whatever its parts are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.jsonValue(),
        fc.string(),
        async (header, claims, signature) => {
          expect(typeof (await judge(assemble(header, claims, signature)))).toBe('string');
        },
      ),
      runs(300),
    );
  });

  it('is refused wherever its header or claims were changed', async () => {
    const idToken = await sign();
    const signed = idToken.lastIndexOf('.');
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: signed - 1 }),
        fc.constantFrom(...'AZaz09-_.'),
        async (at, character) => {
          fc.pre(idToken[at] !== character);
          const mangled = idToken.slice(0, at) + character + idToken.slice(at + 1);
          expect(typeof (await judge(mangled))).toBe('string');
        },
      ),
      runs(300),
    );
  });

  it('is refused with a critical extension', async () => {
    const [, claims, signature] = (await sign()).split('.') as [string, string, string];
    const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'key-es', crit: ['x'], x: 1 }));
    expect(await judge(`${header.toString('base64url')}.${claims}.${signature}`)).toBe('malformed');
  });
});

describe('a login', () => {
  const begin = () => new Login({ state: 'state-1', nonce: 'nonce-1', codeVerifier: 'v' });
  const { nonce: _, ...rest } = { nonce: '', findKey: (kid: string) => expected.findKey(kid) };
  const validate = (login: Login, idToken: string) =>
    login.validate(
      idToken,
      { ...rest, issuer: expected.issuer, clientId: 'demo-cli', accessToken },
      now,
    );

  it('deletes its nonce after one successful validation: the same id_token is refused then', async () => {
    const login = begin();
    const idToken = await sign();
    expect(await validate(login, idToken)).toMatchObject({ subject: 'user-1' });
    expect(login.nonce).toBeUndefined();
    expect(await validate(login, idToken)).toEqual(new IdTokenRefused('wrong-nonce'));
  });

  it('keeps its nonce after a failed validation', async () => {
    const login = begin();
    expect(await validate(login, await sign({ aud: 'demo-web' }))).toEqual(
      new IdTokenRefused('wrong-audience'),
    );
    expect(await validate(login, await sign())).toMatchObject({ subject: 'user-1' });
  });

  it('lets one of ten validations at once have the nonce', async () => {
    const login = begin();
    const idToken = await sign();
    const verdicts = await Promise.all(Array.from({ length: 10 }, () => validate(login, idToken)));
    expect(verdicts.filter((verdict) => !(verdict instanceof IdTokenRefused))).toHaveLength(1);
  });

  it.each([
    ['?code=x&state=state-1', true],
    ['?code=x&state=state-2', false],
    ['?code=x&state=state-1x', false],
    ['?code=x', false],
    ['?code=x&state=', false],
    ['?code=x&state=state-1&state=state-1', false],
    ['?code=x&state=state-2&state=state-1', false],
  ])('is answered by %s: %p', (search, isAnswered) => {
    expect(begin().isAnsweredBy(new URL(`http://127.0.0.1/callback${search}`))).toBe(isAnswered);
  });
});
