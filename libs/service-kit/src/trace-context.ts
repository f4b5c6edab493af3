import { randomBytes } from 'node:crypto';

/** A W3C traceparent, all zeros excluded: trace id, parent id, flags. Only versions to come may be longer (section 4.3). */
const TRACEPARENT =
  /^(?:00(?!.{54})|(?!00|ff)[0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** Lowest bit: somebody keeps this trace. */
  readonly flags: number;
}

/** Reads a `traceparent` (W3C Trace Context, section 3.2); undefined when absent or malformed. */
export function parseTraceparent(header: string | string[] | undefined): TraceContext | undefined {
  const [, traceId, spanId, flags] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  return traceId && spanId && flags
    ? { traceId, spanId, flags: Number.parseInt(flags, 16) }
    : undefined;
}

export function formatTraceparent({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;
}

/** A context that begins a trace which nobody keeps: ids for the log and for neighbours who do trace. */
export function newTraceContext(random: (bytes: number) => Buffer = randomBytes): TraceContext {
  const bytes = random(24);
  return { traceId: bytes.toString('hex', 0, 16), spanId: bytes.toString('hex', 16, 24), flags: 0 };
}
