import type { IncomingHttpHeaders } from 'node:http';
import { parseTraceparent } from '@gatepost/service-kit';
import {
  CONNECTION_FIELDS,
  FieldClasses,
  namedByConnection,
  RATE_FIELDS,
} from './connection-fields.ts';
import { readHost } from './host.ts';
import { startTrace } from './trace-context.ts';

/** What the gateway knows of a request's way so far. */
export interface Sender {
  readonly clientAddress: string;
  /** Does the peer of this connection belong to TRUSTED_PROXIES? */
  readonly isTrusted: boolean;
  readonly isEncrypted: boolean;
}

export interface ForwardedRequest {
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  readonly hostField: string | undefined;
  readonly requestId: string;
  /** The gateway's own span, where it traces; it takes the place of the caller's. */
  readonly traceparent: string | undefined;
  /** Fields that held a configured API key. */
  readonly strip: readonly string[];
}

/** Names under which applications are told who the user is: from outside they would be a forged login. */
const IDENTITY_FIELD =
  /^(?:x-user|x-user-(?:id|name|email|roles|groups|scopes?)|x-(?:account|tenant|subject|principal)-id|x-client-(?:id|ip|cert)|x-(?:consumer|credential|authenticated|auth-request|gatepost)-.*|x-forwarded-(?:user|email|groups|preferred-username|access-token|client-cert.*|tls-client-.*)|(?:x-)?remote-(?:user|email|groups|name)|x-real-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip|fastly-client-ip|x-original-(?:url|uri|host|method|forwarded-for)|x-rewrite-url|(?:x-)?ssl-client-.*)$/;

const WANTS_TRAILERS = /(?:^|,)\s*trailers\s*(?:,|;|$)/i;

/** What is made anew from the connection itself, or read first and then made anew. */
const REWRITTEN: ReadonlyMap<string, RequestFieldClass> = new Map(
  Object.entries({
    host: 'rewritten',
    forwarded: 'rewritten',
    'x-forwarded-for': 'rewritten',
    'x-forwarded-port': 'rewritten',
    'x-forwarded-server': 'rewritten',
    'x-forwarded-prefix': 'rewritten',
    'x-forwarded-scheme': 'rewritten',
    'x-forwarded-ssl': 'rewritten',
    'x-request-id': 'rewritten',
    'x-forwarded-proto': 'proto',
    'x-forwarded-host': 'host',
    traceparent: 'traceparent',
    tracestate: 'tracestate',
    'max-forwards': 'hops',
  } as const),
);

type RequestFieldClass =
  | 'dropped'
  | 'rewritten'
  | 'proto'
  | 'host'
  | 'traceparent'
  | 'tracestate'
  | 'credential'
  | 'hops';

const requestFields = new FieldClasses<RequestFieldClass>((spelt) => {
  // Servers that map names to variables read `X_Forwarded_For` as `X-Forwarded-For` (CVE-2024-45410's family).
  const name = spelt.replaceAll('_', '-');
  if (CONNECTION_FIELDS.includes(name) || RATE_FIELDS.includes(name)) return 'dropped';
  if (name === 'authorization' || name === 'x-api-key') return 'credential';
  const rewritten = REWRITTEN.get(name);
  if (rewritten) return spelt === name ? rewritten : 'dropped';
  return IDENTITY_FIELD.test(name) ? 'dropped' : undefined;
});

/**
 * The fields of the request that goes upstream, names and values in turn. The client's own spelling and order are
 * kept; what belongs to the connection, forged identities and the API key stay here.
 */
export function buildUpstreamFields(request: ForwardedRequest, sender: Sender): string[] {
  const { rawHeaders, headers, strip, hostField } = request;
  const named = namedByConnection(headers.connection);
  const isTraced = parseTraceparent(headers['traceparent']) !== undefined;
  const fields: string[] = [];
  let proto = sender.isEncrypted ? 'https' : 'http';
  let host = hostField;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const value = rawHeaders[index + 1] as string;
    const kind = requestFields.get(name);
    if (kind === undefined) {
      if (named?.has(name.toLowerCase())) continue;
    } else if (kind === 'credential') {
      if (strip.length > 0 && strip.includes(name.toLowerCase().replaceAll('_', '-'))) continue;
      if (named?.has(name.toLowerCase())) continue;
    } else if (kind === 'traceparent') {
      if (!isTraced || request.traceparent !== undefined) continue;
    } else if (kind === 'tracestate') {
      if (!isTraced) continue;
    } else if (kind === 'hops') {
      const left = hopsLeft(request.method, value);
      fields.push(name, left === undefined ? value : String(left - 1));
      continue;
    } else {
      if (sender.isTrusted && kind === 'proto' && /^https?$/.test(value)) proto = value;
      if (sender.isTrusted && kind === 'host' && readHost(value) !== undefined) host = value;
      continue;
    }
    fields.push(name, value);
  }
  if (hostField !== undefined) fields.push('host', hostField);
  if (headers['te'] !== undefined && WANTS_TRAILERS.test(String(headers['te'])))
    fields.push('te', 'trailers');
  const traceparent =
    request.traceparent ??
    (isTraced ? undefined : startTrace(request.requestId, !sender.isTrusted));
  if (traceparent !== undefined) fields.push('traceparent', traceparent);
  fields.push(
    'x-request-id',
    request.requestId,
    'x-forwarded-for',
    sender.clientAddress,
    'x-forwarded-proto',
    proto,
    'forwarded',
    describeHop(sender.clientAddress, host, proto),
    'via',
    '1.1 gatepost',
  );
  if (host !== undefined) fields.push('x-forwarded-host', host);
  return fields;
}

/** Max-Forwards, where it counts (RFC 9110 §7.6.2). */
export function hopsLeft(
  method: string,
  maxForwards: string | string[] | undefined,
): number | undefined {
  if (method !== 'TRACE' && method !== 'OPTIONS') return undefined;
  return /^\d{1,9}$/.test(String(maxForwards)) ? Number(maxForwards) : undefined;
}

/** One element of Forwarded (RFC 7239 §4): an IPv6 address is bracketed, and whatever holds a colon is quoted. */
function describeHop(address: string, host: string | undefined, proto: string): string {
  const node = address.includes(':') ? `"[${address}]"` : address || 'unknown';
  const authority =
    host === undefined ? '' : host.includes(':') ? `;host="${host}"` : `;host=${host}`;
  return `for=${node}${authority};proto=${proto}`;
}
