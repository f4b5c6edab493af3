import { z } from 'zod';

/** An error body as RFC 9457 describes it, with the extension members every Gatepost answer carries. */
export const problem = z
  .object({
    /** URI that names the kind of problem; stable, to be compared, not fetched. */
    type: z.string(),
    title: z.string(),
    status: z.int().min(400).max(599),
    /** What happened this time, for a person. Never holds internals. */
    detail: z.string(),
    /** Path of the request that failed. */
    instance: z.string(),
    /** The `X-Request-Id` of the request, to be named when asking for help. */
    requestId: z.string(),
    /** Invalid input: a JSON Pointer (RFC 6901) to each faulty member. */
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problem>;
