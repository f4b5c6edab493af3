import { z } from 'zod';

/** The query of a list: keyset pages. */
export const pageQuery = z.strictObject({
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  q: z.string().max(200).optional(),
});
