import { backAfterMs, checkAvailability } from './availability.ts';

const asked = (call: string, startMs: number, outcome: number, endMs = startMs + 1) => ({
  call,
  outcome,
  startMs,
  endMs,
});
const PHASES = [
  { name: 'before', fromMs: 0, untilMs: 100, allowed: { read: [302] } },
  { name: 'away', fromMs: 100, untilMs: 200, allowed: { read: [302, 503] } },
  { name: 'back', fromMs: 250, untilMs: 400, allowed: { read: [302] } },
];
const GOOD = [asked('read', 10, 302), asked('read', 110, 503), asked('read', 260, 302)];

describe('the availability checker', () => {
  it('is content when each phase has the answers that it allows', () => {
    expect(checkAvailability(GOOD, PHASES)).toEqual([]);
  });

  it('sees a wrong 404 and a request without an answer', () => {
    const history = [...GOOD, asked('read', 120, 404), asked('read', 121, 404)];
    expect(checkAvailability(history, PHASES)).toEqual(['away: read answered 404, 2 times']);
    expect(checkAvailability([...GOOD, asked('read', 20, 0)], PHASES)).toEqual([
      'before: read answered nothing, 1 times',
    ]);
  });

  it('sees what is not back in time', () => {
    expect(checkAvailability([...GOOD, asked('read', 270, 503)], PHASES)).toEqual([
      'back: read answered 503, 1 times',
    ]);
  });

  it('judges a request that crosses a border by both sides', () => {
    expect(checkAvailability([...GOOD, asked('read', 95, 503, 105)], PHASES)).toEqual([]);
    expect(checkAvailability([...GOOD, asked('read', 95, 404, 105)], PHASES)).toHaveLength(1);
  });

  it('says nothing of the time between phases', () => {
    expect(checkAvailability([...GOOD, asked('read', 210, 500)], PHASES)).toEqual([]);
  });

  it('does not take silence for availability', () => {
    expect(checkAvailability(GOOD.slice(0, 2), PHASES)).toEqual([
      'back: no read was answered in this time',
    ]);
  });
});

describe('the time until something is back', () => {
  const since = { sinceMs: 100, kind: 'read', good: [302] };

  it('counts to the first request after the last failure', () => {
    const history = [asked('read', 110, 503), asked('read', 130, 302), asked('read', 140, 503)];
    expect(backAfterMs([...history, asked('read', 170, 302)], since)).toBe(70);
  });

  it('is never when the last answer is a failure', () => {
    expect(backAfterMs([asked('read', 130, 302), asked('read', 140, 503)], since)).toBeUndefined();
    expect(backAfterMs([], since)).toBeUndefined();
  });
});
