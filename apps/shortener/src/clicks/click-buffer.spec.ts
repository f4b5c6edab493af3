import { type Click } from './click.ts';
import { ClickBuffer, weigh } from './click-buffer.ts';

function click(number: number, userAgent = ''): Click {
  return { code: `c${number}`, timestamp: new Date(number), ip: '', referrer: null, userAgent };
}

const NO_LIMIT = { events: 1_000, bytes: 1_000_000 };
const codes = (clicks: readonly Click[]) => clicks.map(({ code }) => code);

describe('ClickBuffer', () => {
  it('gives clicks back in the order they came', () => {
    const buffer = new ClickBuffer(NO_LIMIT);
    for (let number = 0; number < 5; number++) buffer.push(click(number));
    expect(codes(buffer.take({ events: 2, bytes: 1_000_000 }))).toEqual(['c0', 'c1']);
    expect(codes(buffer.take(NO_LIMIT))).toEqual(['c2', 'c3', 'c4']);
    expect(buffer.length).toBe(0);
  });

  it('drops the oldest when it holds as many as it may', () => {
    const buffer = new ClickBuffer({ events: 3, bytes: 1_000_000 });
    const dropped = [0, 1, 2, 3, 4].map((number) => buffer.push(click(number)));
    expect(dropped).toEqual([0, 0, 0, 1, 1]);
    expect(codes(buffer.take(NO_LIMIT))).toEqual(['c2', 'c3', 'c4']);
  });

  it('drops the oldest when they weigh as much as they may', () => {
    const one = weigh(click(0));
    const buffer = new ClickBuffer({ events: 100, bytes: 4 * one });
    for (let number = 0; number < 4; number++) buffer.push(click(number));
    expect(buffer.push(click(4, 'x'.repeat(one)))).toBe(2);
    expect(codes(buffer.take(NO_LIMIT))).toEqual(['c2', 'c3', 'c4']);
  });

  it('takes no more than a batch may weigh, but always one', () => {
    const buffer = new ClickBuffer(NO_LIMIT);
    for (let number = 0; number < 3; number++) buffer.push(click(number));
    expect(buffer.take({ events: 10, bytes: 2 * weigh(click(0)) })).toHaveLength(2);
    expect(buffer.take({ events: 10, bytes: 1 })).toHaveLength(1);
    expect(buffer.take(NO_LIMIT)).toEqual([]);
  });

  it('goes round for ever', () => {
    const buffer = new ClickBuffer({ events: 7, bytes: 1_000_000 });
    for (let number = 0; number < 100; number++) {
      buffer.push(click(number));
      buffer.push(click(number + 1_000));
      expect(codes(buffer.take(NO_LIMIT))).toEqual([`c${number}`, `c${number + 1_000}`]);
    }
  });
});
