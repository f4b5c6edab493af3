import { readRedisAddress } from './redis-connection.ts';

describe('readRedisAddress', () => {
  it.each([
    ['redis://cache', { kind: 'single', options: { host: 'cache', port: 6_379 } }],
    ['redis://cache:7000/3', { kind: 'single', options: { host: 'cache', port: 7_000, db: 3 } }],
    ['redis://:p%40ss@cache', { kind: 'single', options: { password: 'p@ss' } }],
    [
      'redis://gate:se%3Acret@[::1]:7000',
      {
        kind: 'single',
        options: { username: 'gate', password: 'se:cret', host: '::1', port: 7_000 },
      },
    ],
    [
      'rediss://cache?servername=redis.internal',
      { kind: 'single', options: { tls: { servername: 'redis.internal' } } },
    ],
    ['redis://cache?protocol=2', { kind: 'single', options: { protocol: 2 } }],
    [
      'redis+sentinel://u:p@s1,s2:26380/main/2?sentinelUsername=watch&sentinelPassword=w',
      {
        kind: 'sentinel',
        options: {
          sentinels: [
            { host: 's1', port: 26_379 },
            { host: 's2', port: 26_380 },
          ],
          name: 'main',
          db: 2,
          username: 'u',
          password: 'p',
          sentinelUsername: 'watch',
          sentinelPassword: 'w',
        },
      },
    ],
    [
      'rediss+sentinel://s1/main',
      { kind: 'sentinel', options: { enableTLSForSentinelMode: true, tls: {} } },
    ],
    [
      'redis+cluster://u:p@n1:7000,n2:7001',
      {
        kind: 'cluster',
        nodes: [
          { host: 'n1', port: 7_000 },
          { host: 'n2', port: 7_001 },
        ],
        options: { username: 'u' },
      },
    ],
  ])('reads %s', (url, expected) => {
    expect(readRedisAddress(url)).toMatchObject(expected);
  });

  it('asks for TLS only where the scheme says so', () => {
    expect(readRedisAddress('redis://cache').options).not.toHaveProperty('tls');
  });

  it.each([
    ['http://cache', 'is not a redis://'],
    ['cache:6379', 'is not a redis://'],
    ['redis://a,b', 'several hosts'],
    ['redis+sentinel://s1', 'name of the primary'],
    ['redis+cluster://n1/2', 'no databases'],
    ['redis://cache/main', 'not a database'],
    ['redis://ca:che:6379', 'not a host'],
  ])('refuses %s', (url, fault) => {
    expect(() => readRedisAddress(url)).toThrow(fault);
  });
});
