import { inflateSync } from 'node:zlib';
import { encodeList, statusListClaims } from './status-list-token.ts';

const bitAt = (lst: string, position: number) => {
  const bits = inflateSync(Buffer.from(lst, 'base64url'));
  return ((bits[position >> 3] as number) >> (position & 7)) & 1;
};

describe('a status list', () => {
  it('sets the bit of every revoked position, least significant first', () => {
    const lst = encodeList([0, 9, 131_071]);
    const bits = inflateSync(Buffer.from(lst, 'base64url'));
    expect(bits).toHaveLength(16_384);
    expect([bits[0], bits[1], bits[16_383]]).toEqual([0b1, 0b10, 0b1000_0000]);
    expect([8, 10, 131_070].map((position) => bitAt(lst, position))).toEqual([0, 0, 0]);
  });

  it('is small while little is revoked', () => {
    expect(encodeList([]).length).toBeLessThan(100);
    const thousand = Array.from({ length: 1000 }, (_, n) => (n * 131) % 131_072);
    expect(encodeList(thousand).length).toBeLessThan(4_000);
  });

  it('claims what the draft asks for', () => {
    const claims = statusListClaims({
      uri: 'https://op.example/auth/status-lists/a',
      issuer: 'https://op.example/auth',
      revoked: [],
      issuedAtSeconds: 100,
      expiresAtSeconds: 400,
      ttlSeconds: 1,
    });
    expect(claims).toMatchObject({
      sub: 'https://op.example/auth/status-lists/a',
      iat: 100,
      exp: 400,
      ttl: 1,
      status_list: { bits: 1 },
    });
  });
});
