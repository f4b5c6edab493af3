import { z } from 'zod';

/** A short code, generated or chosen: case-sensitive Base62. */
export const code = z
  .string()
  .regex(/^[0-9A-Za-z]{6,8}$/)
  .meta({ description: 'A short code: 6 to 8 Base62 characters, case-sensitive' });

/** RFC 3339, in UTC, with milliseconds, as every timestamp that the platform sends. */
export const timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'RFC 3339, UTC, milliseconds' });

export const linkState = z.enum(['active', 'expired', 'archived', 'blocked']).meta({
  description:
    'active: redirects · expired: answers 404, kept · archived: expired and moved away by the nightly job · blocked: answers 403',
});
export type LinkState = z.infer<typeof linkState>;

/** A link as it is answered. */
export const link = z
  .object({
    code,
    shortUrl: z.url().meta({ description: 'The absolute short URL' }),
    longUrl: z
      .string()
      .meta({ description: 'The destination, as serialised and as sent in `Location`' }),
    createdAt: timestamp,
    expiresAt: timestamp.nullable().meta({ description: 'The link answers 404 from then on' }),
    trackClicks: z
      .boolean()
      .meta({ description: 'false: a cacheable 301 without click events; true: a 302' }),
    state: linkState,
    blockedReason: z
      .string()
      .optional()
      .meta({ description: 'Why a blocked link is blocked; absent otherwise' }),
  })
  .meta({ id: 'Link' });
export type LinkBody = z.infer<typeof link>;

/** For the description only: what every long URL begins with, and that it holds no blanks. The service says more. */
const LONG_URL = '^[Hh][Tt][Tt][Pp][Ss]?://[^\\u0000-\\u0020]+$';

/** What POST /shorten takes. The finer rules (destination, reserved words, future) are the service's, with problems of their own. */
export const createLink = z
  .strictObject({
    longUrl: z.string().meta({
      description:
        'An absolute http or https URL, at most 2,048 characters once serialised, to a public host',
      pattern: LONG_URL,
      examples: ['https://example.com/a/long/path?with=query'],
    }),
    customAlias: z.string().nullish().meta({
      description: 'The code to use: 6 to 8 Base62 characters, not a reserved word',
      pattern: '^[0-9A-Za-z]{6,8}$',
    }),
    expiresAt: z
      .string()
      .nullish()
      .meta({
        description: 'RFC 3339 date-time in the future',
        format: 'date-time',
        examples: ['2030-01-01T00:00:00Z'],
      }),
    trackClicks: z
      .boolean()
      .optional()
      .meta({ description: 'false: a cacheable 301 and no click events', default: true }),
  })
  .meta({ id: 'CreateLink' });
export type CreateLink = z.infer<typeof createLink>;

/** What PATCH /links/{code} takes. An absent member stays as it is. */
export const changeLink = z
  .strictObject({
    longUrl: z
      .string()
      .optional()
      .meta({ description: 'Validated as on creation', pattern: LONG_URL }),
    expiresAt: z.string().nullish().meta({
      description: 'RFC 3339 date-time in the future; null: never expires',
      format: 'date-time',
    }),
    trackClicks: z.boolean().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'names nothing to change')
  .meta({ id: 'ChangeLink', minProperties: 1 });
export type ChangeLink = z.infer<typeof changeLink>;
