import { DomainError, sendProblem } from '@gatepost/problem-details';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { operations } from './operations.ts';

/** Those that Fastify knows by itself; to it, any other finds nothing anywhere. */
const METHODS: readonly HTTPMethods[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
];

/**
 * A path that exists answers a method that it does not have with 405 and says which it has (RFC 9110 §15.5.6); the framework would
 * answer that nothing is here.
 */
export function refuseOtherMethods(fastify: FastifyInstance): void {
  for (const [path, allowed] of allowedMethods()) {
    const refuse = (request: FastifyRequest, reply: FastifyReply) =>
      sendProblem(methodNotAllowed(request.method, allowed), request, reply);
    fastify.route({
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      method: METHODS.filter((method) => !allowed.has(method)),
      // Before the body, which is of no interest here, is read or found wanting.
      onRequest: async (request, reply) => refuse(request, reply),
      handler: refuse,
    });
  }
}

/** The methods of every path of the description; what can be read has HEAD as well. */
function allowedMethods(): Map<string, Set<string>> {
  const byPath = new Map<string, Set<string>>();
  for (const { path, method } of operations) {
    const methods = byPath.get(path) ?? new Set();
    byPath.set(path, methods.add(method.toUpperCase()));
    if (method === 'get') methods.add('HEAD');
  }
  return byPath;
}

function methodNotAllowed(method: string, allowed: ReadonlySet<string>): DomainError {
  const allow = [...allowed].sort().join(', ');
  return new DomainError(
    'method-not-allowed',
    `This address does not know ${method}, but ${allow}.`,
    {
      headers: { allow },
    },
  );
}
