import type { Click } from './click.ts';

/** What a click weighs besides its two long texts. */
const CLICK_BYTES = 256;

export function weigh(click: Click): number {
  return CLICK_BYTES + (click.referrer?.length ?? 0) + (click.userAgent?.length ?? 0);
}

export interface ClickBufferLimits {
  readonly events: number;
  readonly bytes: number;
}

/**
 * A ring of clicks that wait for delivery, bounded in number and in memory. When it is full the oldest make room: recent
 * clicks are worth more to whoever watches, and memory must not grow with an outage.
 */
export class ClickBuffer {
  private readonly ring: (Click | undefined)[];
  private head = 0;
  private count = 0;
  private weight = 0;

  constructor(private readonly limits: ClickBufferLimits) {
    this.ring = new Array(limits.events);
  }

  get length(): number {
    return this.count;
  }

  /** Adds a click; returns how many older ones it pushed out. */
  push(click: Click): number {
    const weight = weigh(click);
    let dropped = 0;
    while (
      this.count > 0 &&
      (this.count === this.limits.events || this.weight + weight > this.limits.bytes)
    ) {
      this.shift();
      dropped += 1;
    }
    this.ring[(this.head + this.count) % this.limits.events] = click;
    this.count += 1;
    this.weight += weight;
    return dropped;
  }

  /** Takes the oldest clicks, up to `events` of them and `bytes` of weight, and at least one if there is any. */
  take(limits: ClickBufferLimits): Click[] {
    const taken: Click[] = [];
    let weight = 0;
    while (this.count > 0 && taken.length < limits.events) {
      const next = this.ring[this.head] as Click;
      weight += weigh(next);
      if (taken.length > 0 && weight > limits.bytes) break;
      taken.push(next);
      this.shift();
    }
    return taken;
  }

  private shift(): void {
    this.weight -= weigh(this.ring[this.head] as Click);
    this.ring[this.head] = undefined;
    this.head = (this.head + 1) % this.limits.events;
    this.count -= 1;
  }
}
