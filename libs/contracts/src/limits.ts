import { z } from 'zod';

/** Names that operators give: short, harmless in a label, a header field and a path. */
export const limitName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_.-]{0,63}$/, 'must be lower-case letters, digits, ".", "_", "-"');

/** `limit` tokens a window, of which `burst` (the limit itself when absent) may be drawn at once. */
export const windowLimit = z.union(
  [
    z
      .number()
      .positive()
      .transform((limit) => ({ limit })),
    z.strictObject({ limit: z.number().positive(), burst: z.number().min(1).optional() }),
  ],
  { error: 'must be a number above 0, or { limit, burst }' },
);

/** What one caller may draw, in one or several windows at once. */
export const windowLimits = z
  .strictObject({
    second: windowLimit.optional(),
    minute: windowLimit.optional(),
    hour: windowLimit.optional(),
    day: windowLimit.optional(),
  })
  .refine((limits) => Object.keys(limits).length > 0, 'needs at least one window')
  .superRefine((limits, context) => {
    for (const [window, given] of Object.entries(limits))
      if (given && ('burst' in given ? (given.burst ?? given.limit) : given.limit) < 1)
        context.addIssue({
          code: 'custom',
          path: [window],
          message: 'must leave room for one token: give a burst of at least 1',
        });
  });
export type WindowLimitsInput = z.infer<typeof windowLimits>;

export const outagePolicy = z.enum(['open', 'closed', 'local']);

/**
 * Who is limited: `key:<name>`, `user:<sub>`, `client:<client_id>`, or `address:<IPv4 address or IPv6 /64>`. An
 * unconfigured bearer has no name of its own.
 */
export const callerName = z
  .string()
  .max(300)
  .regex(/^(key|user|client|address):[^\s]+$/, 'must be key:…, user:…, client:… or address:…');

/** `POST /shorten`, `GET,HEAD /reports/*`, `* /api/*`: methods, then a path or a whole-segment prefix. */
const requestPattern = z
  .string()
  .regex(/^(\*|[A-Z]+(,[A-Z]+)*) \/[^\s?#]*$/, 'must read like "POST /shorten" or "* /api/*"');

const limitRule = z.strictObject({
  name: limitName,
  /** Requests the rule is for; each may cost more than the rule's `cost`. */
  match: z
    .array(
      z.union([
        requestPattern.transform((request) => ({ request })),
        z.strictObject({
          request: requestPattern,
          host: z.string().toLowerCase().min(1).optional(),
          cost: z.number().positive().optional(),
        }),
      ]),
    )
    .min(1),
  /** Buckets of the rule's own, by tier; `default` is for the tiers not named. Without them `cost` counts for the tier's. */
  limits: z.record(limitName, windowLimits).optional(),
  cost: z.number().positive().default(1),
  /** Decide and count, but refuse nobody. */
  shadow: z.boolean().default(false),
  /** What to do with these requests while the store is away. */
  outage: outagePolicy.optional(),
});

const configuredKey = z.strictObject({
  name: limitName,
  tier: limitName,
  /** SHA-256 of the key, in hexadecimal: the file holds no secret. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits'),
});

/** The definition of all limits: the limits file, and what `GET /admin/limits` shows. */
export const limitsDefinition = z
  .strictObject({
    /** `anonymous` is for addresses, `free` for callers without a tier of their own. */
    tiers: z.record(limitName, windowLimits),
    rules: z.array(limitRule).default([]),
    keys: z.array(configuredKey).default([]),
    /** Callers (`key:acme`) and networks (`10.0.0.0/8`) that are not limited. */
    allow: z.array(z.string().min(1)).default([]),
    /** Callers and networks that are answered 403. */
    deny: z.array(z.string().min(1)).default([]),
    /** Decide and count everything, refuse nobody. */
    shadow: z.boolean().default(false),
  })
  .superRefine((definition, context) => {
    const refuse = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    for (const tier of ['anonymous', 'free'])
      if (!definition.tiers[tier]) refuse(['tiers'], `needs the tier "${tier}"`);
    const isTier = (tier: string) => Object.hasOwn(definition.tiers, tier);
    const names = new Set<string>();
    definition.rules.forEach((rule, index) => {
      if (names.has(rule.name)) refuse(['rules', index, 'name'], 'is taken by another rule');
      names.add(rule.name);
      for (const tier of Object.keys(rule.limits ?? {}))
        if (tier !== 'default' && !isTier(tier))
          refuse(['rules', index, 'limits', tier], 'is not one of the tiers');
    });
    const keys = new Set<string>();
    definition.keys.forEach((key, index) => {
      if (keys.has(key.name)) refuse(['keys', index, 'name'], 'is taken by another key');
      keys.add(key.name);
      if (!isTier(key.tier)) refuse(['keys', index, 'tier'], 'is not one of the tiers');
    });
  });
export type LimitsDefinition = z.output<typeof limitsDefinition>;
export type LimitsDefinitionInput = z.input<typeof limitsDefinition>;

/** What applies to one caller instead of its tier's limits; windows that are not named stay as they are. */
export const limitOverride = z
  .strictObject({
    caller: callerName,
    tier: limitName.optional(),
    limits: windowLimits.optional(),
    /** Instead of the rules' own limits, by rule. */
    rules: z.record(limitName, windowLimits).optional(),
    /** From then on the override is gone. RFC 3339. */
    expiresAt: z.iso.datetime({ offset: true }).optional(),
  })
  .refine(
    ({ tier, limits, rules }) => tier ?? limits ?? rules,
    'needs a tier, limits or rules to put in place',
  );
export type LimitOverride = z.output<typeof limitOverride>;

/** Asks for a new API key. */
export const issueKey = z.strictObject({ name: limitName, tier: limitName });
export type IssueKey = z.output<typeof issueKey>;

/** An API key as it is listed: the key itself is shown once, when it is issued. */
export const apiKey = z.object({
  name: limitName,
  tier: limitName,
  /** `issued` here, or named in the limits `file`, or made up for the `demo`. */
  source: z.enum(['issued', 'file', 'demo']),
  /** Its first characters, to tell it from others. */
  hint: z.string().optional(),
  createdAt: z.iso.datetime().optional(),
});
export type ApiKey = z.output<typeof apiKey>;

/** One bucket of a caller as it stands. */
export const bucketView = z.object({
  /** `''` for the tier's own, else the rule. */
  rule: z.string(),
  window: z.enum(['second', 'minute', 'hour', 'day']),
  limit: z.number(),
  capacity: z.number(),
  remaining: z.number(),
  /** Unix second at which the bucket is full. */
  fullAt: z.number(),
});
export type BucketView = z.output<typeof bucketView>;

/** Everything that counts for one caller right now. */
export const callerView = z.object({
  caller: callerName,
  /** Its keyed hash, as in logs. */
  hash: z.string(),
  tier: z.string(),
  listed: z.enum(['allow', 'deny']).optional(),
  override: limitOverride.optional(),
  /** Absent while the store is away. */
  buckets: z.array(bucketView).optional(),
});
export type CallerView = z.output<typeof callerView>;

/** A caller that was refused often. */
export const offender = z.object({
  /** Configured name or keyed hash. */
  label: z.string(),
  kind: z.enum(['key', 'user', 'client', 'unknown', 'address']),
  tier: z.string(),
  rejected: z.number(),
  lastRejectedAt: z.iso.datetime(),
});
export type Offender = z.output<typeof offender>;
