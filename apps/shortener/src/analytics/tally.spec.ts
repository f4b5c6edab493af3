import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { type DescribedClick, tallyClicks, toHours } from './tally.ts';

const DAY_MS = 86_400_000;

const person = { isBot: false, browser: 'Firefox', system: 'Linux', device: 'desktop' };
const crawler = { isBot: true, browser: 'Googlebot', system: '', device: 'bot' };

function click(at: string, other: Partial<DescribedClick> = {}): DescribedClick {
  const usual = { code: 'AbC1234', agent: person, referrer: '', country: 'DE' };
  return { ...usual, time: Date.parse(at), ...other };
}

describe('tallyClicks', () => {
  it('adds clicks up by link, day, minute and breakdown, bots apart', () => {
    const [tally, ...others] = tallyClicks([
      click('2026-11-20T10:00:00Z'),
      click('2026-11-20T10:00:59.999Z', { referrer: 'example.com' }),
      click('2026-11-20T10:01:00Z', { agent: crawler, country: 'US' }),
    ]);
    const minute = Date.parse('2026-11-20T10:00:00Z') / 60_000;
    expect(others).toEqual([]);
    expect(tally).toEqual({
      code: 'AbC1234',
      day: Date.parse('2026-11-20') / DAY_MS,
      humans: 2,
      bots: 1,
      minutes: new Map([
        [minute, { humans: 2, bots: 0 }],
        [minute + 1, { humans: 0, bots: 1 }],
      ]),
      breakdowns: {
        r: new Map([
          ['', { humans: 1, bots: 1 }],
          ['example.com', { humans: 1, bots: 0 }],
        ]),
        b: new Map([
          ['Firefox', { humans: 2, bots: 0 }],
          ['Googlebot', { humans: 0, bots: 1 }],
        ]),
        s: new Map([
          ['Linux', { humans: 2, bots: 0 }],
          ['', { humans: 0, bots: 1 }],
        ]),
        d: new Map([
          ['desktop', { humans: 2, bots: 0 }],
          ['bot', { humans: 0, bots: 1 }],
        ]),
        c: new Map([
          ['DE', { humans: 2, bots: 0 }],
          ['US', { humans: 0, bots: 1 }],
        ]),
      },
    });
  });

  it('keeps days apart, in UTC', () => {
    const days = tallyClicks([
      click('2026-11-20T00:00:00.000Z'),
      click('2026-11-19T23:59:59.999Z'),
      click('2026-11-20T12:00:00Z'),
    ]).map(({ day, humans }) => [new Date(day * DAY_MS).toISOString().slice(0, 10), humans]);
    expect(days).toEqual([
      ['2026-11-19', 1],
      ['2026-11-20', 2],
    ]);
  });

  it('goes by codes in byte order, as every transaction does', () => {
    const codes = ['b00000', 'a00000', 'B00000', '100000', 'a000000'];
    const tallies = tallyClicks(codes.map((code) => click('2026-11-20T10:00:00Z', { code })));
    expect(tallies.map(({ code }) => code)).toEqual([
      '100000',
      'B00000',
      'a00000',
      'a000000',
      'b00000',
    ]);
  });

  it('loses and invents none, whatever the clicks', () => {
    const any = fc.record({
      code: fc.constantFrom('AbC1234', 'AbC1235', 'AbC1236'),
      time: fc.integer({ min: 1_790_000_000_000, max: 1_790_000_000_000 + 3 * DAY_MS }),
      agent: fc.constantFrom(person, crawler),
      referrer: fc.constantFrom('', 'a.example', 'b.example'),
      country: fc.constantFrom('', 'DE', 'US'),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 300 }), (clicks) => {
        const tallies = tallyClicks(clicks);
        const sum = (counts: Iterable<{ humans: number; bots: number }>) =>
          [...counts].reduce((total, { humans, bots }) => total + humans + bots, 0);
        expect(sum(tallies)).toBe(clicks.length);
        expect(sum(tallies.flatMap(({ minutes }) => [...minutes.values()]))).toBe(clicks.length);
        expect(sum(tallies.flatMap(({ minutes }) => [...toHours(minutes).values()]))).toBe(
          clicks.length,
        );
        for (const tally of tallies)
          for (const names of Object.values(tally.breakdowns))
            expect(sum(names.values())).toBe(tally.humans + tally.bots);
      }),
      runs(),
    );
  });
});
