import { z } from 'zod';
import { createLink, link } from './link.ts';
import { problem } from './problem.ts';

export const BULK_LIMIT = 100;

/** What POST /links/bulk takes. Items are judged one by one: a faulty item does not fail the others. */
export const bulkCreate = z
  .strictObject({ items: z.array(z.unknown()).min(1).max(BULK_LIMIT) })
  .meta({ id: 'BulkCreate' });
export type BulkCreate = z.infer<typeof bulkCreate>;

/** The documented shape of the same; items are validated one by one. */
export const bulkCreateDocumented = z
  .strictObject({ items: z.array(createLink).min(1).max(BULK_LIMIT) })
  .meta({ id: 'BulkCreate' });

/** The fate of one item, in the place of the item. */
export const itemResult = z
  .object({
    status: z.int().meta({ description: 'The status that POST /shorten would have answered' }),
    link: link.optional(),
    problem: problem.optional(),
  })
  .meta({ id: 'ItemResult' });
export type ItemResult = z.infer<typeof itemResult>;

export const bulkResults = z.object({ results: z.array(itemResult) }).meta({ id: 'BulkResults' });
export type BulkResults = z.infer<typeof bulkResults>;

/** Most rows that POST /links/import takes at once. */
export const IMPORT_LIMIT = 10_000;

/** Members of an export that an import does not need, and does not mind. */
const exportedOnly = z.unknown().optional();

/** A row of POST /links/import: what creates a link, or a row of an export. `code` asks for that very code. */
export const importRow = z
  .strictObject({
    ...createLink.shape,
    code: z
      .string()
      .nullish()
      .meta({ description: 'The same as `customAlias`, as an export has it' }),
    shortUrl: exportedOnly,
    createdAt: exportedOnly,
    state: exportedOnly,
    blockedReason: exportedOnly,
  })
  .meta({ id: 'ImportRow' });
export type ImportRow = z.infer<typeof importRow>;

/** What POST /links/import takes as JSON; rows are judged one by one. */
export const importDocumented = z
  .strictObject({ items: z.array(importRow).min(1).max(IMPORT_LIMIT) })
  .meta({ id: 'Import' });

/** What GET /links/export answers as JSON. */
export const exportedLinks = z.object({ items: z.array(link) }).meta({ id: 'Export' });
