import { randomFillSync } from 'node:crypto';

/** Fills a buffer with unpredictable bytes; an argument so that tests can decide them. */
export type FillRandom = (buffer: Buffer) => void;

const POOL_BYTES = 8192;

/**
 * Makes event ids (UUIDv7, RFC 9562: 48 bits of milliseconds, 74 bits of chance) and trace contexts. Randomness is drawn
 * by the page: one system call for hundreds of ids.
 */
export class EventIds {
  private readonly pool = Buffer.allocUnsafe(POOL_BYTES);
  private used = POOL_BYTES;

  constructor(private readonly fill: FillRandom = randomFillSync) {}

  /** A UUIDv7 for an event of `time`, milliseconds. */
  eventId(time: number): string {
    const at = this.draw(10);
    // Version and variant bits, in place.
    this.pool[at] = ((this.pool[at] as number) & 0x0f) | 0x70;
    this.pool[at + 2] = ((this.pool[at + 2] as number) & 0x3f) | 0x80;
    const moment = time.toString(16).padStart(12, '0');
    const chance = this.pool.toString('hex', at, at + 10);
    return `${moment.slice(0, 8)}-${moment.slice(8)}-${chance.slice(0, 4)}-${chance.slice(4, 8)}-${chance.slice(8)}`;
  }

  /** A W3C trace context for what began without one; not sampled, for nobody follows it yet. */
  traceparent(): string {
    const at = this.draw(24);
    // An all-zero id would be invalid.
    this.pool[at] = (this.pool[at] as number) | 1;
    this.pool[at + 16] = (this.pool[at + 16] as number) | 1;
    const chance = this.pool.toString('hex', at, at + 24);
    return `00-${chance.slice(0, 32)}-${chance.slice(32)}-00`;
  }

  /** Reserves bytes of the pool and returns where they begin. */
  private draw(bytes: number): number {
    if (this.used + bytes > POOL_BYTES) {
      this.fill(this.pool);
      this.used = 0;
    }
    const at = this.used;
    this.used += bytes;
    return at;
  }
}

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

export function isTraceparent(text: string | undefined): text is string {
  return text !== undefined && text.length === 55 && TRACEPARENT.test(text);
}
