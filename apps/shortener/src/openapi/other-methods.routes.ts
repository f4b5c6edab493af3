import { METHODS } from 'node:http';
import { DomainError, sendProblem } from '@gatepost/problem-details';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { operations } from './operations.ts';

/**
 * A path that exists answers a method that it does not have with 405 and says which it has (RFC 9110 §15.5.6); the framework would
 * answer that nothing is here.
 */
export function refuseOtherMethods(fastify: FastifyInstance): void {
  // All that the parser lets through; to Fastify itself, most of them find nothing anywhere.
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  for (const method of methods)
    if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method);
  for (const [path, allowed] of allowedMethods()) {
    const refuse = (request: FastifyRequest, reply: FastifyReply) =>
      sendProblem(methodNotAllowed(request.method, allowed), request, reply);
    fastify.route({
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      method: methods.filter((method) => !allowed.has(method)),
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
