import { z } from 'zod';

/** A signing key without its private part. */
export const signingKeyView = z.object({
  kid: z.string(),
  alg: z.enum(['ES256', 'RS256']),
  state: z.enum(['next', 'current', 'previous']),
  createdAt: z.string(),
  /** Null: published and waiting. */
  signsFrom: z.string().nullable(),
  retiredAt: z.string().nullable(),
});
export type SigningKeyView = z.infer<typeof signingKeyView>;

export const signingKeyList = z.object({
  items: z.array(signingKeyView),
  /** Age at which a key is replaced, seconds; 0: only by command. */
  rotationSeconds: z.number().int().min(0).optional(),
});
export type SigningKeyList = z.infer<typeof signingKeyList>;

export const rotateSigningKeys = z.strictObject({
  /** The next keys sign at once even if some clients have not seen them yet: for a key that leaked. */
  immediately: z.boolean().default(false),
});
export type RotateSigningKeys = z.infer<typeof rotateSigningKeys>;
