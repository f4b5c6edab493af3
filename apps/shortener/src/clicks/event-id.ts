import { randomFillSync } from 'node:crypto';

/** Fills a buffer with unpredictable bytes; an argument so that tests can decide them. */
export type FillRandom = (buffer: Buffer) => void;

const POOL_BYTES = 8192;
/** The variant of RFC 9562 in the two upper bits of a digit; the lower two stay as they are. */
const WITH_VARIANT = Object.fromEntries(
  [...'0123456789abcdef'].map((digit, value) => [digit, '89ab'[value & 3]]),
);

/**
 * Makes event ids (UUIDv7, RFC 9562: 48 bits of milliseconds, 74 bits of chance) and trace contexts. Randomness is drawn
 * by the page, and written as hexadecimal digits at once: two calls into the system for hundreds of ids.
 */
export class EventIds {
  private readonly pool = Buffer.allocUnsafe(POOL_BYTES);
  private digits = '';
  private used = 0;
  private moment = { time: Number.NaN, digits: '' };

  constructor(private readonly fill: FillRandom = randomFillSync) {}

  /** A UUIDv7 for an event of `time`, milliseconds. */
  eventId(time: number): string {
    if (time !== this.moment.time) this.moment = { time, digits: momentDigits(time) };
    const chance = this.draw(19);
    return `${this.moment.digits}-7${chance.slice(0, 3)}-${WITH_VARIANT[chance[3] as string]}${chance.slice(4, 7)}-${chance.slice(7)}`;
  }

  /** A W3C trace context for what began without one; not sampled, for nobody follows it yet. */
  traceparent(): string {
    const chance = this.draw(46);
    // An all-zero id would be invalid: each begins with a digit that is not.
    return `00-1${chance.slice(0, 31)}-1${chance.slice(31)}-00`;
  }

  /** Hexadecimal digits that nobody had before. */
  private draw(count: number): string {
    if (this.used + count > this.digits.length) {
      this.fill(this.pool);
      this.digits = this.pool.toString('hex');
      this.used = 0;
    }
    this.used += count;
    return this.digits.slice(this.used - count, this.used);
  }
}

/** 48 bits, as the first two groups of a UUID. */
function momentDigits(time: number): string {
  const digits = time.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

export function isTraceparent(text: string | undefined): text is string {
  return text !== undefined && text.length === 55 && TRACEPARENT.test(text);
}
