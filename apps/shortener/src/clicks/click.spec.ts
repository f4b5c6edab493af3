import { clickEvent } from '@gatepost/contracts';
import { isClick, toClickEvent, toRecordedClick } from './click.ts';
import { EventIds } from './event-id.ts';

const click = {
  code: 'AbC1234',
  timestamp: new Date('2026-11-20T10:11:12.345Z'),
  ip: '203.0.113.9',
  referrer: 'https://news.example.com/a',
  userAgent: 'Mozilla/5.0',
};

describe('isClick', () => {
  it.each([
    ['a GET', 'GET', {}, true],
    ['a HEAD, which asks whether the link works', 'HEAD', {}, false],
    ['a prefetch', 'GET', { 'sec-purpose': 'prefetch' }, false],
    ['a prerender', 'GET', { 'sec-purpose': 'prefetch;prerender' }, false],
    ['a prefetch of an older Chrome', 'GET', { purpose: 'prefetch' }, false],
    ['a preview of Safari', 'GET', { 'x-purpose': 'preview' }, false],
    ['a prefetch of Firefox', 'GET', { 'x-moz': 'prefetch' }, false],
    ['a purpose that nobody knows', 'GET', { 'sec-purpose': 'shopping' }, true],
  ])('%s', (_what, method, headers, expected) => {
    expect(isClick({ method, headers })).toBe(expected);
  });
});

describe('toClickEvent', () => {
  it('has exactly the five members of the contract', () => {
    const event = toClickEvent({ ...click, traceparent: 'not part of the value' });
    expect(clickEvent.parse(event)).toEqual({ ...click, timestamp: '2026-11-20T10:11:12.345Z' });
  });

  it('keeps the absence of a referrer and of a user agent', () => {
    expect(toClickEvent({ ...click, referrer: null, userAgent: null })).toMatchObject({
      referrer: null,
      userAgent: null,
    });
  });

  it('cuts what is too long, never through a character', () => {
    const event = toClickEvent({
      ...click,
      referrer: `https://x.example/${'a'.repeat(5_000)}`,
      userAgent: `${'a'.repeat(1_023)}😀${'b'.repeat(100)}`,
    });
    expect(event.referrer).toHaveLength(2_048);
    expect(event.userAgent).toBe('a'.repeat(1_023));
    expect(clickEvent.safeParse(event).success).toBe(true);
  });
});

describe('toRecordedClick', () => {
  const ids = new EventIds();
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

  it('belongs to the trace of its request', () => {
    expect(toRecordedClick({ ...click, traceparent }, ids).traceparent).toBe(traceparent);
  });

  it.each([undefined, '', 'nonsense', `${traceparent}\r\nx: y`])(
    'begins a trace of its own where the request has none (%j)',
    (given) => {
      const recorded = toRecordedClick({ ...click, traceparent: given }, ids);
      expect(recorded.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    },
  );
});
