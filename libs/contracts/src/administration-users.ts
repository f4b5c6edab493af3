import { z } from 'zod';

/** A person to be registered by an operator. Without a password a temporary one is made up and told once. */
export const registerUser = z.strictObject({
  email: z.string().trim().min(3).max(254),
  name: z.string().trim().min(1).max(100),
  password: z.string().optional(),
});
export type RegisterUser = z.infer<typeof registerUser>;

export const userView = z.object({
  /** The `sub` of every token. */
  id: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  name: z.string().nullable(),
  disabled: z.boolean(),
  /** The password has to be changed at the next sign-in. */
  passwordIsTemporary: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type UserView = z.infer<typeof userView>;

/** With the temporary password, the one time that it is told. */
export const registeredUser = userView.extend({ temporaryPassword: z.string().optional() });
export type RegisteredUser = z.infer<typeof registeredUser>;

export const userPage = z.object({ items: z.array(userView), nextCursor: z.string().nullable() });
export type UserPage = z.infer<typeof userPage>;

export const temporaryPassword = z.object({ id: z.string(), temporaryPassword: z.string() });
export type TemporaryPassword = z.infer<typeof temporaryPassword>;
