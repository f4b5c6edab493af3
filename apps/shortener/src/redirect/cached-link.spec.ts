import {
  type CachedLink,
  decodeCachedLink,
  encodeCachedLink,
  encodeMarker,
  sharedTtlMs,
} from './cached-link.ts';

const HOUR = 3_600_000;
const link: CachedLink = {
  code: 'aB3dE6g',
  longUrl: 'https://example.org/a|b?c="d"',
  expiresAt: 1_900_000_000_000,
  trackClicks: true,
  version: 3,
  blockedReason: undefined,
  isScanned: false,
};

describe('the stored form of a link', () => {
  it.each([
    [link],
    [{ ...link, expiresAt: Number.POSITIVE_INFINITY, trackClicks: false, isScanned: true }],
    [{ ...link, blockedReason: 'The site is on a blocklist.' }],
  ])('comes back as it went in: %j', (stored) => {
    expect(decodeCachedLink(stored.code, encodeCachedLink(stored))).toEqual(stored);
  });

  it('begins with the version, for the script that compares it', () => {
    expect(encodeCachedLink(link)).toMatch(/^3\|\[/);
    expect(encodeMarker(4)).toBe('4|');
  });

  it.each(['4|', '', '|', 'x|[]', '1|{}', '1|[1]', '1|["https://x"', '1', 'null', '["https://x"]'])(
    'is a miss when it is a marker or somebody else’s: %j',
    (stored) => {
      expect(decodeCachedLink('aB3dE6g', stored)).toBeUndefined();
    },
  );
});

describe('sharedTtlMs', () => {
  const now = 1_800_000_000_000;
  const forever = { ...link, expiresAt: Number.POSITIVE_INFINITY };

  it('spreads the end of links that were cached together over 2.4 hours', () => {
    expect(sharedTtlMs(forever, now, 0)).toBe(24 * HOUR);
    expect(sharedTtlMs(forever, now, 0.5)).toBe(22.8 * HOUR);
    expect(sharedTtlMs(forever, now, 1)).toBe(21.6 * HOUR);
  });

  it('never passes the expiry', () => {
    expect(sharedTtlMs({ ...link, expiresAt: now + 1_500 }, now, 0)).toBe(1_500);
    expect(sharedTtlMs({ ...link, expiresAt: now - 1 }, now, 0)).toBeLessThan(0);
  });
});
