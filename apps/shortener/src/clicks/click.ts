import type { ClickEvent } from '@gatepost/contracts';
import { type EventIds, isTraceparent } from './event-id.ts';

/** The facts of one redirect, as the redirect knows them. */
export interface Click {
  readonly code: string;
  readonly timestamp: Date;
  readonly ip: string;
  readonly referrer: string | null;
  readonly userAgent: string | null;
  /** W3C trace of the request; a click without one begins a trace of its own. */
  readonly traceparent?: string | undefined;
}

/** A click on its way: its value with exactly five members, and what the CloudEvents headers say besides. */
export interface RecordedClick {
  readonly id: string;
  /** The event's timestamp, milliseconds. */
  readonly time: number;
  readonly event: ClickEvent;
  readonly traceparent: string;
}

interface RequestFacts {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Whether a redirected request is a click. HEAD asks whether a link works, and a prefetch may never be looked at:
 * neither is a visit. `Sec-Purpose` is what browsers send today, the others what they sent before.
 */
export function isClick({ method, headers }: RequestFacts): boolean {
  if (method !== 'GET') return false;
  const purpose =
    headers['sec-purpose'] ?? headers['purpose'] ?? headers['x-purpose'] ?? headers['x-moz'];
  return purpose === undefined || !/\b(prefetch|prerender|preview)\b/i.test(String(purpose));
}

/** Longest referrer and user agent that travel: Node lets a header grow to 16 KiB, and a buffer of those is not small. */
const REFERRER_LENGTH = 2048;
const USER_AGENT_LENGTH = 1024;
const ADDRESS_LENGTH = 64;

export function toRecordedClick(click: Click, ids: EventIds): RecordedClick {
  const time = click.timestamp.getTime();
  return {
    id: ids.eventId(time),
    time,
    event: toClickEvent(click),
    traceparent: isTraceparent(click.traceparent) ? click.traceparent : ids.traceparent(),
  };
}

export function toClickEvent(click: Click): ClickEvent {
  return {
    code: click.code,
    timestamp: toTimestamp(click.timestamp),
    ip: shorten(click.ip, ADDRESS_LENGTH),
    referrer: click.referrer === null ? null : shorten(click.referrer, REFERRER_LENGTH),
    userAgent: click.userAgent === null ? null : shorten(click.userAgent, USER_AGENT_LENGTH),
  };
}

/** The last one written: in a busy process several clicks share a millisecond, and writing a date is not cheap. */
let lastTimestamp = { time: Number.NaN, text: '' };

function toTimestamp(date: Date): string {
  const time = date.getTime();
  if (time !== lastTimestamp.time) lastTimestamp = { time, text: date.toISOString() };
  return lastTimestamp.text;
}

/** At most `length` UTF-16 units, without half a surrogate pair at the cut. */
function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
