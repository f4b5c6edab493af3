import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Readiness, requestIdOf, type Tracing } from '@gatepost/service-kit';
import type { FastifyInstance } from 'fastify';
import type { Addresses } from '../env.ts';
import { clientAddress, type TrustedProxies } from './client-address.ts';
import { type ProtocolEndpoint, protocolEndpoint } from './protocol-paths.ts';

export interface MountOptions {
  readonly addresses: Addresses;
  readonly isTrustedProxy: TrustedProxies;
  readonly readiness: Pick<Readiness, 'isDraining'>;
  readonly tracing?: Tracing | undefined;
  /** Answers a protocol request; looked up for each one, for the provider is replaced when keys rotate. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => unknown;
}

/**
 * Puts the protocol before Fastify on its server: the library wants requests with their bodies unread, and Fastify's way to a hook
 * would be a tenth of what a token costs. Everything else goes on to Fastify.
 */
export function mountProtocol(fastify: FastifyInstance, options: MountOptions): void {
  const { server } = fastify;
  const others = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const answer = protocolListener(options);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (answer(request, response)) return;
    for (const listener of others) listener.call(server, request, response as never);
  });
}

/**
 * Answers requests of the protocol; false for all others. What the library could take from forwarded fields is pinned to the issuer;
 * the client's address is the last one that a trusted proxy speaks for.
 */
export function protocolListener(options: MountOptions) {
  const { mount, issuer } = options.addresses;
  const { protocol, host } = new URL(issuer);
  const scheme = protocol.slice(0, -1);
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { url = '/', headers } = request;
    const queryAt = url.indexOf('?');
    const endpoint = protocolEndpoint(queryAt < 0 ? url : url.slice(0, queryAt), mount);
    if (!endpoint) return false;
    response.setHeader('x-request-id', requestIdOf(request));
    if (options.readiness.isDraining) response.setHeader('connection', 'close');
    if (!endpoint.methods.includes(request.method ?? '')) {
      refuseMethod(endpoint, response);
      return true;
    }
    const forwardedFor = headers['x-forwarded-for'];
    headers['x-forwarded-for'] = clientAddress(
      request.socket.remoteAddress,
      Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor,
      options.isTrustedProxy,
    );
    headers['x-forwarded-proto'] = scheme;
    headers['x-forwarded-host'] = host;
    request.url = endpoint.libraryPath + (queryAt < 0 ? '' : url.slice(queryAt));
    if (options.tracing?.isOn) trace(options.tracing, endpoint, request, response);
    options.handle(request, response);
    return true;
  };
}

function refuseMethod({ methods }: ProtocolEndpoint, response: ServerResponse): void {
  response.writeHead(405, {
    allow: methods.join(', '),
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
  });
  response.end('{"error":"invalid_request","error_description":"the method is not allowed here"}');
}

function trace(
  tracing: Tracing,
  endpoint: ProtocolEndpoint,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { method = '', headers } = request;
  const parent = headers['traceparent'];
  // The path of a resumed request names the interaction: the route is told without it.
  const route = endpoint.libraryPath.replace(/^(\/(?:authorize|device))\/.+$/, '$1/:uid');
  const work = tracing.begin(
    'server',
    `${method} ${route}`,
    typeof parent === 'string' ? parent : undefined,
    { 'http.request.method': method, 'http.route': route },
  );
  headers['traceparent'] = work.traceparent;
  response.once('close', () => work.end({ status: response.statusCode }));
}
