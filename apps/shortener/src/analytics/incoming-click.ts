import { createHash } from 'node:crypto';
import type { ClickEvent } from '@gatepost/contracts';

/** A click as it arrived, fit to be counted. */
export interface IncomingClick {
  /** UUID of the event; the same when it comes twice. */
  readonly id: string;
  readonly event: ClickEvent;
  /** The event's timestamp, milliseconds. */
  readonly time: number;
}

/** Why a message is no click; it goes to the dead letters with this. */
export class PoisonMessage {
  constructor(readonly reason: string) {}
}

export interface ClickMessage {
  /** The value as text; null where there is none. */
  readonly text: string | null;
  /** `ce_id` of the headers. */
  readonly id: string | undefined;
  /** What no other message has, for one without an id. */
  readonly place: () => string;
}

const CODE = /^[0-9A-Za-z]{6,8}$/;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Clocks differ a little; a click of tomorrow is made up, and would make partitions for days that have not come. */
const FUTURE_MS = 3_600_000;

/**
 * Reads a message. Looser than the contract where that costs nothing (a longer text is cut, a further member is left
 * alone), for a click that is not counted is lost; by hand, for it is done tens of thousands of times a second.
 */
export function readClick(message: ClickMessage, now: number): IncomingClick | PoisonMessage {
  if (message.text === null) return new PoisonMessage('no value');
  let value: unknown;
  try {
    value = JSON.parse(message.text);
  } catch {
    return new PoisonMessage('not JSON');
  }
  if (typeof value !== 'object' || value === null) return new PoisonMessage('not an object');
  const { code, timestamp, ip, referrer, userAgent } = value as Record<string, unknown>;
  if (typeof code !== 'string' || !CODE.test(code)) return new PoisonMessage('code');
  if (typeof timestamp !== 'string' || !UTC.test(timestamp)) return new PoisonMessage('timestamp');
  const time = Date.parse(timestamp);
  if (!Number.isFinite(time)) return new PoisonMessage('timestamp');
  if (time > now + FUTURE_MS) return new PoisonMessage('timestamp in the future');
  if (typeof ip !== 'string') return new PoisonMessage('ip');
  if (!isText(referrer)) return new PoisonMessage('referrer');
  if (!isText(userAgent)) return new PoisonMessage('userAgent');
  return {
    id: toEventId(message),
    time,
    event: {
      code,
      timestamp,
      ip: storable(ip, 64),
      referrer: referrer === null ? null : storable(referrer, 2048),
      userAgent: userAgent === null ? null : storable(userAgent, 1024),
    },
  };
}

function isText(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

/** Cut, and without NUL, which PostgreSQL has no place for: one such message must not stop its partition. */
function storable(text: string, length: number): string {
  const cut = text.length > length ? text.slice(0, length) : text;
  return cut.includes('\0') ? cut.replaceAll('\0', '') : cut;
}

/** Ours are UUIDs. The id of another producer, or the place of a message without one, is hashed into a UUID (version 8). */
function toEventId({ id, place }: ClickMessage): string {
  if (id !== undefined && UUID.test(id)) return id.toLowerCase();
  const bytes = createHash('sha256')
    .update(id === undefined ? `place ${place()}` : `id ${id}`)
    .digest();
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
