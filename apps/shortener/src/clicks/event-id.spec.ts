import { EventIds } from './event-id.ts';

describe('EventIds', () => {
  it('makes UUIDs of version 7 that tell their time', () => {
    const time = Date.parse('2026-11-20T10:11:12.345Z');
    const id = new EventIds().eventId(time);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(time);
  });

  it('never makes one twice, also where a page of randomness ends', () => {
    const ids = new EventIds();
    const made = new Set(Array.from({ length: 50_000 }, () => ids.eventId(1)));
    expect(made.size).toBe(50_000);
  });

  it('sorts by time', () => {
    const ids = new EventIds();
    const made = [5, 70, 900, 10_000, 1e12, 2e12].map((time) => ids.eventId(time));
    expect([...made].sort()).toEqual(made);
  });

  it('makes trace contexts that are valid even of nothing but zeros', () => {
    const ids = new EventIds((buffer) => buffer.fill(0));
    expect(ids.traceparent()).toMatch(/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$/);
  });
});
