import type { ClickEvent } from '@gatepost/contracts';
import { createLogger, createMetrics, type Registry } from '@gatepost/service-kit';
import { poll } from '../testing/poll.ts';
import type { Click } from './click.ts';
import { type ClickDelivery, OutboxClickSink } from './outbox-click-sink.ts';

export interface DeliveryUnderTest {
  readonly delivery: ClickDelivery;
  /** All that arrived, in order of arrival for one code. */
  delivered(): Promise<ClickEvent[]>;
  /** The receiver cannot be reached from now on. */
  cut(): void;
  restore(): void;
  close(): Promise<void>;
}

const silent = createLogger({ name: 'spec', level: 'silent' });

/** What the redirect relies on, whatever is behind its ClickSink. */
export function describeClickSink(open: () => Promise<DeliveryUnderTest>): void {
  let under: DeliveryUnderTest;
  let metrics: Registry;

  const sinkOf = (events = 50_000) => {
    metrics = createMetrics('spec');
    return new OutboxClickSink(under.delivery, {
      env: { CLICK_BUFFER_EVENTS: events },
      logger: silent,
      metrics,
      flushLimitMs: 1_000,
    });
  };
  const dropped = async (reason: string) => {
    const { values } = (await metrics.getSingleMetric('click_events_dropped_total')?.get()) ?? {};
    return values?.find(({ labels }) => labels['reason'] === reason)?.value;
  };

  beforeEach(async () => {
    under = await open();
  });

  afterEach(async () => {
    under.restore();
    await under.close();
  });

  it('delivers a click with its five facts as they were', async () => {
    const sink = sinkOf();
    const timestamp = new Date('2026-11-20T10:11:12.345Z');
    sink.record({
      code: 'AbC1234',
      timestamp,
      ip: '2001:db8::7',
      referrer: 'https://news.example.com/a/é"\\',
      userAgent: 'Mozilla/5.0 „quoted“ "agent"',
    });
    sink.record({ ...clickOf('AbC1235', 1), referrer: null, userAgent: null });
    await sink.flush();
    expect(await under.delivered()).toEqual(
      expect.arrayContaining([
        {
          code: 'AbC1234',
          timestamp: '2026-11-20T10:11:12.345Z',
          ip: '2001:db8::7',
          referrer: 'https://news.example.com/a/é"\\',
          userAgent: 'Mozilla/5.0 „quoted“ "agent"',
        },
        expect.objectContaining({ code: 'AbC1235', referrer: null, userAgent: null }),
      ]),
    );
    await sink.onApplicationShutdown();
  });

  it('delivers without being asked to', async () => {
    const sink = sinkOf();
    sink.record(clickOf('AbC1234', 1));
    await poll(
      async () => (await under.delivered()).length,
      (count) => count === 1,
    );
    await sink.onApplicationShutdown();
  });

  it('delivers every click once, those of one code in their order', async () => {
    const sink = sinkOf();
    for (let number = 0; number < 5_000; number++)
      sink.record(clickOf(`AbC123${number % 7}`, number));
    await sink.flush();
    const delivered = await poll(under.delivered, ({ length }) => length >= 5_000);
    expect(delivered).toHaveLength(5_000);
    for (let code = 0; code < 7; code++) {
      const times = delivered.filter((event) => event.code === `AbC123${code}`).map(timeOf);
      expect(times).toEqual([...times].sort((a, b) => a - b));
    }
    await sink.onApplicationShutdown();
  });

  it('neither waits nor throws while the receiver is away, and delivers by itself when it is back', async () => {
    const sink = sinkOf();
    sink.record(clickOf('AbC1234', 0));
    await sink.flush();
    under.cut();
    for (let number = 1; number <= 100; number++) sink.record(clickOf('AbC1234', number));
    await sink.flush(); // gives up waiting, not the clicks
    for (let number = 101; number <= 200; number++) sink.record(clickOf('AbC1234', number));
    under.restore();
    const delivered = await poll(under.delivered, ({ length }) => length >= 201, 30_000);
    expect(new Set(delivered.map(timeOf)).size).toBe(201);
    await sink.onApplicationShutdown();
    expect(await dropped('buffer_full')).toBe(0);
  }, 60_000);

  it('drops the oldest clicks, and counts them, once the buffer is full', async () => {
    const sink = sinkOf(1_000);
    sink.record(clickOf('AbC1234', 0));
    await sink.flush();
    under.cut();
    for (let number = 1; number <= 3_000; number++) sink.record(clickOf('AbC1234', number));
    expect(await dropped('buffer_full')).toBe(2_000);
    under.restore();
    const delivered = await poll(under.delivered, ({ length }) => length >= 1_001, 30_000);
    expect(delivered.map(timeOf).sort((a, b) => a - b)).toEqual([
      timeOfNumber(0),
      ...Array.from({ length: 1_000 }, (_, index) => timeOfNumber(2_001 + index)),
    ]);
    await sink.onApplicationShutdown();
  }, 60_000);

  it('delivers what is left when the app shuts down', async () => {
    const sink = sinkOf();
    for (let number = 0; number < 10; number++) sink.record(clickOf('AbC1234', number));
    await sink.onApplicationShutdown();
    expect(await poll(under.delivered, ({ length }) => length >= 10)).toHaveLength(10);
    expect(await dropped('shutdown')).toBe(0);
  });

  it('shuts down in bounded time without its receiver, and counts what that costs', async () => {
    const sink = sinkOf();
    under.cut();
    for (let number = 0; number < 10; number++) sink.record(clickOf('AbC1234', number));
    await sink.onApplicationShutdown();
    expect(await dropped('shutdown')).toBe(10);
  });
}

const START = Date.now() - 3_600_000;

export function clickOf(code: string, number: number): Click {
  return {
    code,
    timestamp: new Date(timeOfNumber(number)),
    ip: '203.0.113.9',
    referrer: 'https://news.example.com/',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
  };
}

function timeOfNumber(number: number): number {
  return START + number;
}

function timeOf(event: ClickEvent): number {
  return Date.parse(event.timestamp);
}
