import { deflateSync } from 'node:zlib';
import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { SignJWT } from 'jose';
import { assemble, HostileIssuer, type IssuerKey, makeKey } from '../test/hostile-issuer.ts';
import { readStatusList, StatusList } from './status-list.ts';
import { importVerificationKeys, type VerificationKeys } from './verification-keys.ts';

let issuer: HostileIssuer;
let key: IssuerKey;
let keys: VerificationKeys;
const now = Math.floor(Date.now() / 1000);

beforeAll(async () => {
  issuer = await HostileIssuer.start();
  key = issuer.keys[0] as IssuerKey;
  keys = (await importVerificationKeys({ keys: [key.publicJwk] })) as VerificationKeys;
});
afterAll(() => issuer.stop());

function read(token: string, at = now) {
  const expected = {
    uri: issuer.listUri,
    issuer: issuer.issuer,
    algorithms: ['ES256', 'RS256'] as const,
    clockSkewSeconds: 10,
  };
  return readStatusList(token, keys, expected, at);
}

async function sign(claims: Record<string, unknown>, header: Record<string, unknown> = {}) {
  const lst = deflateSync(new Uint8Array(16)).toString('base64url');
  const list = { sub: issuer.listUri, iat: now, exp: now + 60, status_list: { bits: 1, lst } };
  return new SignJWT(JSON.parse(JSON.stringify({ ...list, ...claims })))
    .setProtectedHeader({ alg: 'ES256', kid: 'key-1', typ: 'statuslist+jwt', ...header })
    .sign(key.privateKey);
}

const pack = (bytes: Uint8Array) => deflateSync(bytes).toString('base64url');

describe('a status list', () => {
  it('is read bit by bit from the least significant', async () => {
    // The example of the draft: 1 bit a token, 0xb9 0xa3.
    const list = (await read(
      await sign({ status_list: { bits: 1, lst: pack(new Uint8Array([0xb9, 0xa3])) } }),
    )) as StatusList;
    const revoked = Array.from({ length: 16 }, (_, index) => (list.isValid(index) ? 0 : 1));
    expect(revoked).toEqual([1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1]);
  });

  it('holds any status but 0 for not valid', async () => {
    // The draft's example of 2 bits a token: 0xc9 0x44 0xf9.
    const list = (await read(
      await sign({ status_list: { bits: 2, lst: pack(new Uint8Array([0xc9, 0x44, 0xf9])) } }),
    )) as StatusList;
    const statuses = [1, 2, 0, 3, 0, 1, 0, 1, 1, 2, 3, 3];
    expect(statuses.map((_, index) => list.isValid(index))).toEqual(statuses.map((s) => s === 0));
  });

  it('agrees with what was written, for every width and index', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 2, 4, 8),
        fc.array(fc.nat({ max: 255 }), { minLength: 1, maxLength: 200 }),
        (bits, values) => {
          const bytes = new Uint8Array(Math.ceil((values.length * bits) / 8));
          const statuses = values.map((value) => value % 2 ** bits);
          for (const [index, status] of statuses.entries()) {
            const at = index * bits;
            bytes[at >> 3] = (bytes[at >> 3] as number) | (status << (at & 7));
          }
          const list = new StatusList(bytes, bits, now);
          expect(statuses.map((_, index) => list.isValid(index))).toEqual(
            statuses.map((status) => status === 0),
          );
        },
      ),
      runs(),
    );
  });

  it('has nothing good to say of an index beyond its end', async () => {
    const list = (await read(await sign({}))) as StatusList;
    expect(list.isValid(127)).toBe(true);
    for (const index of [128, 2 ** 20, Number.MAX_SAFE_INTEGER])
      expect(list.isValid(index)).toBe(false);
  });

  it.each<[string, string, Record<string, unknown>, Record<string, unknown>]>([
    ['of another type', 'malformed', {}, { typ: 'at+jwt' }],
    ['without a type', 'malformed', {}, { typ: undefined }],
    [
      'for another address',
      'wrong-subject',
      { sub: 'https://id.example.test/auth/status-lists/2' },
      {},
    ],
    ['without a subject', 'wrong-subject', { sub: undefined }, {}],
    ['of another issuer', 'wrong-subject', { iss: 'https://evil.test' }, {}],
    ['that is expired', 'expired', { exp: now - 10 }, {}],
    ['with an expiry of text', 'malformed', { exp: 'never' }, {}],
    ['without a time of issue', 'malformed', { iat: undefined }, {}],
    ['that is old and has no expiry', 'expired', { exp: undefined, iat: now - 70 }, {}],
    ['whose time to live is over', 'expired', { exp: undefined, iat: now - 25, ttl: 15 }, {}],
    ['without a list', 'malformed', { status_list: undefined }, {}],
    ['of 3 bits', 'malformed', { status_list: { bits: 3, lst: pack(new Uint8Array(8)) } }, {}],
    ['that is not compressed', 'malformed', { status_list: { bits: 1, lst: 'AAAA' } }, {}],
    ['with an unknown kid', 'unknown-key', {}, { kid: 'key-9' }],
  ])('%s is refused: %s', async (_, reason, claims, header) => {
    expect(await read(await sign(claims, header))).toBe(reason);
  });

  it('signed by a stranger under a known kid is refused', async () => {
    const stranger = await makeKey('key-1');
    const token = await new SignJWT({ sub: issuer.listUri, iat: now })
      .setProtectedHeader({ alg: 'ES256', kid: 'key-1', typ: 'statuslist+jwt' })
      .sign(stranger.privateKey);
    expect(await read(token)).toBe('wrong-signature');
  });

  it('without a signature is refused', async () => {
    const header = { alg: 'none', kid: 'key-1', typ: 'statuslist+jwt' };
    expect(await read(assemble(header, { sub: issuer.listUri, iat: now }, 'x'))).toBe(
      'wrong-signature',
    );
  });

  it('that would fill the memory is refused', async () => {
    const bomb = pack(new Uint8Array(32 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(50_000);
    expect(await read(await sign({ status_list: { bits: 1, lst: bomb } }))).toBe('malformed');
  });
});

describe('any status list', () => {
  it('that the issuer signed is read or refused, whatever stands in it', async () => {
    const list = fc.record({
      bits: fc.oneof(fc.constantFrom(1, 2, 4, 8, 0, -1, 3, 16, '1'), fc.jsonValue()),
      lst: fc.oneof(
        fc.uint8Array({ maxLength: 40 }).map(pack),
        fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
        fc.jsonValue(),
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 4, arbitrary: list }, fc.jsonValue()),
        fc.oneof(fc.constantFrom(now - 100, now, now + 60), fc.jsonValue()),
        async (status_list, exp) => {
          const found = await read(await sign({ status_list, exp }));
          if (typeof found === 'string') expect(['malformed', 'expired']).toContain(found);
          else
            for (const index of [0, 1, 1_000, -1, 0.5, Number.NaN])
              expect(typeof found.isValid(index)).toBe('boolean');
        },
      ),
      runs(300),
    );
  });

  it('that was changed on its way is refused', async () => {
    const token = await sign({});
    await fc.assert(
      fc.asyncProperty(
        fc.nat(token.length - 1),
        fc.stringMatching(/^[\w.-]{0,2}$/),
        fc.nat(2),
        async (at, put, cut) => {
          const changed = token.slice(0, at) + put + token.slice(at + cut);
          fc.pre(changed !== token);
          expect(typeof (await read(changed))).toBe('string');
        },
      ),
      runs(300),
    );
  });
});
