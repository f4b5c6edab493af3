import { isExpired, stateOf } from './link.ts';

const now = new Date('2026-11-20T12:00:00Z');
const before = new Date(now.getTime() - 1);
const after = new Date(now.getTime() + 1);

describe('stateOf', () => {
  const link = { expiresAt: undefined, archivedAt: undefined };

  it.each([
    ['active', { ...link }, undefined],
    ['active', { ...link, expiresAt: after }, undefined],
    ['expired', { ...link, expiresAt: before }, undefined],
    ['blocked', { ...link }, 'phishing'],
    ['blocked', { ...link, expiresAt: after }, 'phishing'],
    ['expired', { ...link, expiresAt: before }, 'phishing'],
    ['archived', { expiresAt: before, archivedAt: now }, undefined],
    ['archived', { expiresAt: before, archivedAt: now }, 'phishing'],
  ])('%s: %j, blocked for %s', (state, given, reason) => {
    expect(stateOf(given, reason, now)).toBe(state);
  });
});

describe('isExpired', () => {
  it('is so from the very moment on', () => {
    expect(isExpired(now, now)).toBe(true);
    expect(isExpired(after, now)).toBe(false);
    expect(isExpired(undefined, now)).toBe(false);
  });
});
