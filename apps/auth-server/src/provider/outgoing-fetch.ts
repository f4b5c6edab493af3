import { lookup as resolve } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isGlobalAddress } from './global-address.ts';

/** More than a logout answer or a client's keys ever need. */
const MAX_BYTES = 256 * 1024;

/**
 * How the library calls out: logout notices, JWKS of clients. Addresses that are not globally reachable are refused, checked as the
 * connection is made, so that a name cannot resolve differently a moment later; hosts that the operator names (`name` or
 * `name:port`, inside the cluster) are exempt. Redirects are not followed.
 */
export function outgoingFetch(allowedHosts: readonly string[]): typeof fetch {
  return async (input, options = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const isNamed = allowedHosts.includes(url.host) || allowedHosts.includes(url.hostname);
    if (!isNamed) refuseSpecialLiteral(url);
    return send(url, options, isNamed ? undefined : globalLookup);
  };
}

function refuseSpecialLiteral({ hostname }: URL): void {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0 && !isGlobalAddress(literal))
    throw new Error('the address is not globally reachable');
}

const globalLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    if (addresses.length === 0 || !addresses.every(({ address }) => isGlobalAddress(address)))
      return callback(new Error('the host is not globally reachable'), []);
    if (options.all) return callback(null, addresses);
    const [first] = addresses as [{ address: string; family: number }];
    callback(null, first.address, first.family);
  });
};

function send(
  url: URL,
  options: RequestInit,
  lookup: LookupFunction | undefined,
): Promise<Response> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const body = options.body == null ? undefined : String(options.body);
  return new Promise((settle, fail) => {
    const sent = request(
      url,
      {
        method: options.method ?? 'GET',
        headers: Object.fromEntries(new Headers(options.headers)),
        agent: false,
        ...(options.signal ? { signal: options.signal } : {}),
        ...(lookup ? { lookup } : {}),
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_BYTES) response.destroy(new Error('the answer is too large'));
          else chunks.push(chunk);
        });
        response.on('error', fail);
        response.on('end', () => {
          const status = response.statusCode ?? 502;
          const isEmpty = status === 204 || status === 205 || status === 304;
          const headers = new Headers();
          for (const [name, value] of Object.entries(response.headers))
            for (const item of [value ?? []].flat()) headers.append(name, item);
          settle(new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers }));
        });
      },
    );
    sent.on('error', fail);
    sent.end(body);
  });
}
