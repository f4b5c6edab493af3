import { type IpMode, storedAddress, visitorOf } from './visitor.ts';

describe('visitorOf', () => {
  const visit = { salt: 'a1', code: 'AbC1234', ip: '203.0.113.9', userAgent: 'Mozilla/5.0' };

  it('is the same for the same visitor, a 64-bit number', () => {
    expect(visitorOf(visit)).toBe(visitorOf({ ...visit }));
    expect(BigInt.asIntN(64, BigInt(visitorOf(visit)))).toBe(BigInt(visitorOf(visit)));
  });

  it.each([
    ['day', { salt: 'a2' }],
    ['link', { code: 'AbC1235' }],
    ['address', { ip: '203.0.113.10' }],
    ['user agent', { userAgent: null }],
  ])('is another one for another %s', (_what, other) => {
    expect(visitorOf({ ...visit, ...other })).not.toBe(visitorOf(visit));
  });
});

describe('storedAddress', () => {
  it.each<[string, IpMode, string | null]>([
    ['203.0.113.9', 'truncate', '203.0.113.0'],
    ['203.0.113.9', 'raw', '203.0.113.9'],
    ['203.0.113.9', 'drop', null],
    ['::ffff:203.0.113.9', 'truncate', '203.0.113.0'],
    ['::ffff:203.0.113.9', 'raw', '203.0.113.9'],
    ['2001:db8:12:34:56:78:9a:bc', 'truncate', '2001:db8:12::'],
    ['2001:0DB8:0012::1', 'truncate', '2001:db8:12::'],
    ['2001:db8::1', 'truncate', '2001:db8:0::'],
    ['fe80::1%eth0', 'truncate', 'fe80:0:0::'],
    ['::1', 'truncate', '0:0:0::'],
    ['2001:db8::1', 'raw', '2001:db8::1'],
    ['not an address', 'truncate', null],
    ['1:2:3', 'truncate', null],
    ['1::2:3:4:5:6:7:8:9', 'truncate', null],
  ])('%s is stored in mode %s as %s', (ip, mode, stored) => {
    expect(storedAddress(ip, mode)).toBe(stored);
  });
});
