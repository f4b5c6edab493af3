import type { Click, RecordedClick } from './click.ts';
import { ClickOutbox, DeliveryRefused, type DropReason } from './click-outbox.ts';
import { EventIds } from './event-id.ts';

function clickOf(number: number): Click {
  return {
    code: `code${100 + number}`,
    timestamp: new Date(1_700_000_000_000 + number),
    ip: '203.0.113.9',
    referrer: null,
    userAgent: null,
  };
}

function open(deliver: (clicks: readonly RecordedClick[]) => Promise<void>, events = 100) {
  const dropped: Partial<Record<DropReason, number>> = {};
  const outbox = new ClickOutbox({
    deliver,
    ids: new EventIds(),
    observer: {
      dropped: (reason, clicks) => {
        dropped[reason] = (dropped[reason] ?? 0) + clicks;
      },
      delivered: () => undefined,
      failed: () => undefined,
    },
    buffer: { events, bytes: 1_000_000 },
    batch: { events: 10, bytes: 1_000_000 },
    lingerMs: 5,
    flushLimitMs: 200,
    maxPauseMs: 20,
  });
  return { outbox, dropped };
}

describe('ClickOutbox', () => {
  it('sends a batch that failed again as it was, with the same ids', async () => {
    const attempts: string[][] = [];
    const { outbox } = open(async (clicks) => {
      attempts.push(clicks.map(({ id }) => id));
      if (attempts.length < 3) throw new Error('away');
    });
    for (let number = 0; number < 4; number++) outbox.record(clickOf(number));
    await outbox.flush();
    expect(attempts).toHaveLength(3);
    expect(attempts[0]).toHaveLength(4);
    expect(attempts[1]).toEqual(attempts[0]);
    expect(attempts[2]).toEqual(attempts[0]);
    expect(outbox.pending).toBe(0);
  });

  it('never has two batches on the way', async () => {
    let underWay = 0;
    let most = 0;
    const { outbox } = open(async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
    });
    for (let number = 0; number < 95; number++) outbox.record(clickOf(number));
    await Promise.all([outbox.flush(), outbox.flush()]);
    expect(most).toBe(1);
  });

  it('drops a click that the receiver refuses, and that one alone', async () => {
    const delivered: string[] = [];
    const { outbox, dropped } = open(async (clicks) => {
      if (clicks.some(({ event }) => event.code === 'code106')) throw new DeliveryRefused('size');
      delivered.push(...clicks.map(({ event }) => event.code));
    });
    for (let number = 0; number < 10; number++) outbox.record(clickOf(number));
    await outbox.flush();
    expect(delivered).toHaveLength(9);
    expect(dropped).toEqual({ refused: 1 });
  });

  it('drops a click that cannot be written down, and that one alone', async () => {
    const delivered: string[] = [];
    const { outbox, dropped } = open(async (clicks) => {
      delivered.push(...clicks.map(({ event }) => event.code));
    });
    outbox.record(clickOf(1));
    outbox.record({ ...clickOf(2), timestamp: new Date(Number.NaN) });
    outbox.record(clickOf(3));
    await outbox.flush();
    expect(delivered).toEqual(['code101', 'code103']);
    expect(dropped).toEqual({ refused: 1 });
  });

  it('resolves a flush only when what was on the way before it has arrived', async () => {
    let arrive: () => void = () => undefined;
    const { outbox } = open(() => new Promise<void>((resolve) => (arrive = resolve)), 1);
    outbox.record(clickOf(0));
    const first = outbox.flush();
    // The batch is on its way; these push each other out of a buffer of one.
    for (let number = 1; number < 4; number++) outbox.record(clickOf(number));
    let isResolved = false;
    void first.then(() => {
      isResolved = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isResolved).toBe(false);
    arrive();
    await first;
    expect(outbox.pending).toBe(1);
  });

  it('gives up what is left when it closes without a receiver, and counts it', async () => {
    const { outbox, dropped } = open(async () => {
      throw new Error('away');
    });
    for (let number = 0; number < 25; number++) outbox.record(clickOf(number));
    await outbox.close();
    expect(dropped).toEqual({ shutdown: 25 });
  });
});
