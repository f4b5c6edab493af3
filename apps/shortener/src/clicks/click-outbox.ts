import type { Click, RecordedClick } from './click.ts';
import { toRecordedClick } from './click.ts';
import { ClickBuffer, type ClickBufferLimits } from './click-buffer.ts';
import type { EventIds } from './event-id.ts';

/** Resolves once the clicks are kept by whoever they were sent to. Told twice of one click, the receiver counts it once. */
export type DeliverClicks = (clicks: readonly RecordedClick[]) => Promise<void>;

/** The receiver will never take this; sending it again is of no use. */
export class DeliveryRefused extends Error {}

export type DropReason = 'buffer_full' | 'refused' | 'shutdown';

/** What the outbox tells of itself. */
export interface OutboxObserver {
  dropped(reason: DropReason, clicks: number): void;
  delivered(clicks: number, seconds: number): void;
  failed(error: unknown): void;
}

export interface OutboxOptions {
  readonly deliver: DeliverClicks;
  readonly ids: EventIds;
  readonly observer: OutboxObserver;
  readonly buffer: ClickBufferLimits;
  readonly batch: ClickBufferLimits;
  /** How long the first click of a batch waits for others, ms. */
  readonly lingerMs: number;
  /** How long `flush` waits for a receiver that is away, ms. */
  readonly flushLimitMs: number;
  /** Longest pause between two attempts, ms. */
  readonly maxPauseMs: number;
}

/**
 * Clicks on their way out: recorded in a microsecond, delivered in batches of one linger, one batch at a time, in order.
 * A batch that fails is sent again, unchanged, until it is delivered; meanwhile the buffer fills, and then drops.
 */
export class ClickOutbox {
  private readonly buffer: ClickBuffer;
  private recordedCount = 0;
  private inFlight: { readonly first: number; readonly clicks: number } | undefined;
  private timer: NodeJS.Timeout | undefined;
  private waiters: { readonly through: number; readonly resolve: () => void }[] = [];
  private wake: (() => void) | undefined;
  private isClosing = false;
  private isAbandoned = false;

  constructor(private readonly options: OutboxOptions) {
    this.buffer = new ClickBuffer(options.buffer);
  }

  /** Clicks taken so far. */
  get recorded(): number {
    return this.recordedCount;
  }

  /** Clicks that are neither delivered nor given up. */
  get pending(): number {
    return this.recordedCount - this.settledThrough();
  }

  record(click: Click): void {
    this.recordedCount += 1;
    const dropped = this.buffer.push(click);
    if (dropped > 0) this.options.observer.dropped('buffer_full', dropped);
    if (this.inFlight === undefined && this.timer === undefined) this.schedule();
  }

  /** Resolves once all that was recorded before is delivered or given up, or the limit is over. */
  async flush(): Promise<void> {
    const through = this.recordedCount;
    if (this.settledThrough() >= through) return;
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, this.options.flushLimitMs);
      this.waiters.push({
        through,
        resolve: () => {
          clearTimeout(limit);
          resolve();
        },
      });
      if (this.inFlight === undefined) void this.deliverAll();
      else this.wake?.();
    });
  }

  /** Flushes; what the receiver did not take within the limit is given up and counted. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.flush();
    this.isAbandoned = true;
    this.wake?.();
    clearTimeout(this.timer);
    const left = this.pending;
    if (left > 0) this.options.observer.dropped('shutdown', left);
  }

  /** All clicks with a lower number are settled; clicks are settled in order. */
  private settledThrough(): number {
    return this.inFlight?.first ?? this.recordedCount - this.buffer.length;
  }

  private schedule(): void {
    this.timer = setTimeout(() => void this.deliverAll(), this.options.lingerMs);
    this.timer.unref();
  }

  private async deliverAll(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    while (this.buffer.length > 0 && !this.isAbandoned) {
      const first = this.recordedCount - this.buffer.length;
      const clicks = this.buffer.take(this.options.batch);
      this.inFlight = { first, clicks: clicks.length };
      await this.deliver(this.prepare(clicks));
      if (this.isAbandoned) return; // counted by close()
      this.inFlight = undefined;
      this.resolveWaiters();
      const isUrgent = this.waiters.length > 0 || this.isClosing;
      if (!isUrgent && this.buffer.length < this.options.batch.events) break;
    }
    if (this.buffer.length > 0) this.schedule();
  }

  /** One click that cannot be written down must not keep the others. */
  private prepare(clicks: readonly Click[]): RecordedClick[] {
    const prepared: RecordedClick[] = [];
    for (const click of clicks) {
      try {
        prepared.push(toRecordedClick(click, this.options.ids));
      } catch (error) {
        this.options.observer.failed(error);
        this.options.observer.dropped('refused', 1);
      }
    }
    return prepared;
  }

  /** Returns once the batch is delivered or refused, or the outbox is abandoned. */
  private async deliver(clicks: readonly RecordedClick[]): Promise<void> {
    const { deliver, observer } = this.options;
    for (let attempt = 1; clicks.length > 0 && !this.isAbandoned; attempt++) {
      const began = performance.now();
      try {
        await deliver(clicks);
        observer.delivered(clicks.length, (performance.now() - began) / 1000);
        return;
      } catch (error) {
        observer.failed(error);
        if (error instanceof DeliveryRefused) return this.deliverHalves(clicks);
        await this.pause(attempt);
      }
    }
  }

  /** Finds the click that is refused; the others go through. */
  private async deliverHalves(clicks: readonly RecordedClick[]): Promise<void> {
    if (clicks.length === 1) {
      this.options.observer.dropped('refused', 1);
      return;
    }
    const middle = clicks.length >> 1;
    await this.deliver(clicks.slice(0, middle));
    await this.deliver(clicks.slice(middle));
  }

  private async pause(attempt: number): Promise<void> {
    const longest = Math.min(50 * 2 ** attempt, this.options.maxPauseMs);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, longest * (0.5 + Math.random() / 2));
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = undefined;
  }

  private resolveWaiters(): void {
    const settled = this.settledThrough();
    const due = this.waiters.filter((waiter) => waiter.through <= settled);
    this.waiters = this.waiters.filter((waiter) => waiter.through > settled);
    for (const waiter of due) waiter.resolve();
  }
}
