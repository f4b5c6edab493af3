import type { FastifyRequest } from 'fastify';

/** The Idempotency-Key field. Two of them are joined, and the result is refused as no key at all. */
export function keyFieldOf(request: FastifyRequest): string | undefined {
  const field = request.headers['idempotency-key'];
  return Array.isArray(field) ? field.join(', ') : field;
}
