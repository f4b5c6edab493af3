/**
 * Fields that belong to one connection and are never passed on (RFC 9110 §7.6.1), whichever side they come from.
 * Framing is made anew for each connection, so Transfer-Encoding is among them.
 */
export const CONNECTION_FIELDS: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'http2-settings',
];

/** What the limiter says of quotas is the gateway's word alone, in both directions. */
export const RATE_FIELDS: readonly string[] = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit',
  'ratelimit-policy',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
];

/** Names a Connection field may not take away: without them the message would mean something else. */
const KEPT: ReadonlySet<string> = new Set(['host', 'content-length', 'content-type', 'via']);

/** The names that a Connection field adds for this one message; `undefined` for the usual `keep-alive` and `close`. */
export function namedByConnection(connection: string | undefined): Set<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close')
    return undefined;
  let names: Set<string> | undefined;
  for (const token of connection.toLowerCase().split(',')) {
    const name = token.trim();
    if (name === '' || name === 'close' || name === 'keep-alive' || KEPT.has(name)) continue;
    names ??= new Set();
    names.add(name);
  }
  return names;
}

/**
 * Sorts field names into classes. Names come in the sender's spelling, so each spelling is looked up once and then
 * remembered; senders choose the spelling, so the memory is bounded.
 */
export class FieldClasses<C extends string> {
  private readonly known = new Map<string, C | undefined>();

  constructor(private readonly classOf: (lowerCaseName: string) => C | undefined) {}

  get(name: string): C | undefined {
    const before = this.known.get(name);
    if (before !== undefined || this.known.has(name)) return before;
    if (this.known.size >= 1_024) this.known.clear();
    const found = this.classOf(name.toLowerCase());
    this.known.set(name, found);
    return found;
  }
}
