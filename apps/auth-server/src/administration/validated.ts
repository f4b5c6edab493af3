import { DomainError } from '@gatepost/problem-details';
import type { z } from 'zod';

/** The input as the schema has it, or a 400 that names every fault. */
export function validated<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  if (!isStorable(input))
    throw new DomainError(
      'invalid-request',
      'Text must be well-formed and without null characters.',
    );
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new DomainError('invalid-request', 'Some of the input cannot be used.', {
    errors: parsed.error.issues.map(({ path, message }) => ({
      pointer: path.map((part) => `/${escapePart(String(part))}`).join(''),
      detail: message,
    })),
  });
}

/** PostgreSQL takes neither U+0000 nor halves of surrogate pairs. */
function isStorable(input: unknown): boolean {
  return !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(input) ?? '');
}

/** RFC 6901 section 3. */
function escapePart(part: string): string {
  return part.replace(/~/g, '~0').replace(/\//g, '~1');
}
