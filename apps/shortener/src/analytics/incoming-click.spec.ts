import { clickEvent } from '@gatepost/contracts';
import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { PoisonMessage, readClick } from './incoming-click.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const ID = '019a1f3e-7c00-7abc-8def-0123456789ab';
const event = {
  code: 'AbC1234',
  timestamp: '2026-11-20T10:11:12.345Z',
  ip: '203.0.113.9',
  referrer: null,
  userAgent: 'Mozilla/5.0',
};

function read(value: unknown, id: string | undefined = ID, place = 'c/t/0/1') {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return readClick({ text, id, place: () => place }, NOW);
}

describe('readClick', () => {
  it('reads an event of ours', () => {
    expect(read(event)).toEqual({ id: ID, event, time: Date.parse(event.timestamp) });
  });

  it('reads whatever the contract allows', () => {
    const text = (maxLength: number) =>
      fc.option(fc.string({ maxLength, unit: 'binary' }), { nil: null });
    const any = fc.record({
      code: fc.stringMatching(/^[0-9A-Za-z]{6,8}$/),
      timestamp: fc
        .date({ min: new Date(0), max: new Date(NOW), noInvalidDate: true })
        .map((date) => date.toISOString()),
      ip: fc.ipV4(),
      referrer: text(2_048),
      userAgent: text(1_024),
    });
    fc.assert(
      fc.property(any, (value) => {
        expect(clickEvent.safeParse(value).success).toBe(true);
        expect(read(value)).not.toBeInstanceOf(PoisonMessage);
      }),
      runs(),
    );
  });

  it.each<[string, unknown, string]>([
    ['nothing', '', 'not JSON'],
    ['half a message', '{"code":"AbC1234"', 'not JSON'],
    ['a number', 7, 'not an object'],
    ['null', null, 'not an object'],
    ['no code', { ...event, code: undefined }, 'code'],
    ['a code of another shape', { ...event, code: '../../x' }, 'code'],
    ['no timestamp', { ...event, timestamp: undefined }, 'timestamp'],
    ['a number for a timestamp', { ...event, timestamp: NOW }, 'timestamp'],
    ['a local timestamp', { ...event, timestamp: '2026-11-20T10:11:12' }, 'timestamp'],
    ['a day that there is not', { ...event, timestamp: '2026-13-41T10:11:12Z' }, 'timestamp'],
    [
      'a click of tomorrow',
      { ...event, timestamp: '2026-11-21T10:00:00Z' },
      'timestamp in the future',
    ],
    ['no address', { ...event, ip: null }, 'ip'],
    ['a list for a referrer', { ...event, referrer: [] }, 'referrer'],
    ['no user agent', { ...event, userAgent: undefined }, 'userAgent'],
  ])('refuses %s', (_what, value, reason) => {
    expect(read(value)).toEqual(new PoisonMessage(reason));
  });

  it('refuses a message without a value', () => {
    expect(readClick({ text: null, id: ID, place: () => '' }, NOW)).toEqual(
      new PoisonMessage('no value'),
    );
  });

  it('cuts and cleans what the database has no place for', () => {
    expect(read({ ...event, userAgent: `a\0b${'c'.repeat(3_000)}`, more: 1 })).toMatchObject({
      event: { userAgent: `ab${'c'.repeat(1_021)}` },
    });
  });

  it('makes a UUID of an id that is none, the same each time', () => {
    const one = read(event, 'order-17');
    expect(one).toMatchObject({
      id: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
    });
    expect(read(event, 'order-17', 'elsewhere')).toEqual(one);
    expect(read(event, 'order-18')).not.toEqual(one);
  });

  it('knows a message without an id by its place', () => {
    const readAt = (place: string) =>
      readClick({ text: JSON.stringify(event), id: undefined, place: () => place }, NOW);
    expect(readAt('c/t/0/1')).toEqual(readAt('c/t/0/1'));
    expect(readAt('c/t/0/1')).not.toEqual(readAt('c/t/0/2'));
  });
});
