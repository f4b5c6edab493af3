import { DomainError } from '@gatepost/problem-details';
import type { z } from 'zod';

/** The input as the schema has it, or a 400 that names every fault. */
export function validated<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new DomainError('invalid-request', 'Some of the input cannot be used.', {
    errors: parsed.error.issues.map(({ path, message }) => ({
      pointer: path
        .map((part) => `/${String(part).replace(/~/g, '~0').replace(/\//g, '~1')}`)
        .join(''),
      detail: message,
    })),
  });
}
