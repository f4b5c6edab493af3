import { z } from 'zod';
import { link } from './link.ts';

/** The parameters of GET /links. */
export const linkListParameters = z.strictObject({
  cursor: z.string().max(200).optional().meta({ description: '`nextCursor` of the page before' }),
  limit: z.coerce.number().int().min(1).max(100).default(25).meta({ description: 'Page size' }),
  q: z
    .string()
    .max(200)
    // No text in the database can hold one, so none can be looked for either.
    .refine((text) => !text.includes('\0'), 'must not hold NUL characters')
    .optional()
    .meta({ description: 'Only links whose code or long URL contains this, whatever the case' }),
});
export type LinkListQuery = z.infer<typeof linkListParameters>;

/** The query of GET /links: a parameter without a value counts as absent. */
export const linkListQuery = z.preprocess(
  (query) =>
    typeof query === 'object' && query !== null
      ? Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
      : query,
  linkListParameters,
);

/** A page of the caller's links, newest first. */
export const linkPage = z
  .object({
    items: z.array(link),
    nextCursor: z.string().nullable().meta({ description: 'Opaque; null on the last page' }),
  })
  .meta({ id: 'LinkPage' });
export type LinkPage = z.infer<typeof linkPage>;
