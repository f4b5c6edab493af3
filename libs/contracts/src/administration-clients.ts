import { z } from 'zod';

/** Names a client is registered under. No UUIDs: those are people (RFC 9700 section 4.15 wants the two kept apart). */
export const clientId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{2,63}$/, 'must be 3 to 64 letters, digits, ".", "_", "-"')
  .refine((id) => !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id), 'must not be a UUID');

export const grantType = z.enum([
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code',
]);

export const clientAuthentication = z.enum([
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
]);

const uri = z.string().max(2048);
const webPage = uri.regex(/^https?:\/\//i, 'must be an http or https address');

const clientMembers = {
  /** Shown to people when they are asked for consent. */
  name: z.string().trim().min(1).max(100),
  redirectUris: z.array(uri).max(50),
  postLogoutRedirectUris: z.array(uri).max(50),
  grantTypes: z.array(grantType),
  authentication: clientAuthentication,
  /** `native`: an application on the user's own machine. */
  applicationType: z.enum(['web', 'native']),
  /** Scopes of the API that may be granted. */
  apiScopes: z.array(z.enum(['links:read', 'links:write'])),
  /** Resource identifiers whose tokens it may introspect, being their resource server. */
  introspects: z.array(z.url()).max(20),
  idTokenAlgorithm: z.enum(['ES256', 'RS256']),
  /** Public keys, for `private_key_jwt`. */
  jwks: z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(20) }).nullable(),
  jwksUri: webPage.nullable(),
  backchannelLogoutUri: webPage.nullable(),
  backchannelLogoutSessionRequired: z.boolean(),
  requirePushedAuthorizationRequests: z.boolean(),
  /** Access tokens are bound to a key (RFC 9449). */
  dpopBoundAccessTokens: z.boolean(),
  clientUri: webPage.nullable(),
  logoUri: webPage.nullable(),
  policyUri: webPage.nullable(),
  tosUri: webPage.nullable(),
};

/** A client to be registered. Absent members have the defaults of a confidential web application. */
export const registerClient = z.strictObject({
  clientId: clientId.optional(),
  name: clientMembers.name,
  redirectUris: clientMembers.redirectUris.default([]),
  postLogoutRedirectUris: clientMembers.postLogoutRedirectUris.default([]),
  grantTypes: clientMembers.grantTypes.default(['authorization_code', 'refresh_token']),
  authentication: clientMembers.authentication.default('client_secret_basic'),
  applicationType: clientMembers.applicationType.default('web'),
  apiScopes: clientMembers.apiScopes.default([]),
  introspects: clientMembers.introspects.default([]),
  idTokenAlgorithm: clientMembers.idTokenAlgorithm.default('ES256'),
  jwks: clientMembers.jwks.default(null),
  jwksUri: clientMembers.jwksUri.default(null),
  backchannelLogoutUri: clientMembers.backchannelLogoutUri.default(null),
  backchannelLogoutSessionRequired: clientMembers.backchannelLogoutSessionRequired.default(false),
  requirePushedAuthorizationRequests:
    clientMembers.requirePushedAuthorizationRequests.default(false),
  dpopBoundAccessTokens: clientMembers.dpopBoundAccessTokens.default(false),
  clientUri: clientMembers.clientUri.default(null),
  logoUri: clientMembers.logoUri.default(null),
  policyUri: clientMembers.policyUri.default(null),
  tosUri: clientMembers.tosUri.default(null),
});
export type RegisterClient = z.infer<typeof registerClient>;
export type RegisterClientInput = z.input<typeof registerClient>;

/** Members to be changed; the others stay. */
export const changeClient = z.strictObject(clientMembers).partial();
export type ChangeClient = z.infer<typeof changeClient>;

export const clientSecretView = z.object({
  id: z.string(),
  createdAt: z.string(),
  /** Null: valid until it is rotated away. */
  expiresAt: z.string().nullable(),
});

/** A registered client. Secrets are shown by their dates alone. */
export const clientView = z.object({
  ...clientMembers,
  clientId: z.string(),
  /** Who created it: `operator`, `demo` or `registration`. */
  origin: z.string(),
  secrets: z.array(clientSecretView),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** Null: enabled. */
  disabledAt: z.string().nullable(),
});
export type ClientView = z.infer<typeof clientView>;

/** The one time that a secret is told. */
export const registeredClient = clientView.extend({ clientSecret: z.string().optional() });
export type RegisteredClientView = z.infer<typeof registeredClient>;

export const clientPage = z.object({
  items: z.array(clientView),
  nextCursor: z.string().nullable(),
});
export type ClientPage = z.infer<typeof clientPage>;

/** For how long the secrets so far stay valid beside the new one. */
export const rotateSecret = z.strictObject({
  overlapSeconds: z
    .int()
    .min(0)
    .max(90 * 86_400)
    .default(86_400),
});
export type RotateSecret = z.infer<typeof rotateSecret>;

export const rotatedSecret = z.object({
  clientId: z.string(),
  clientSecret: z.string(),
  /** Null: there was no secret before. */
  previousExpireAt: z.string().nullable(),
});
export type RotatedSecret = z.infer<typeof rotatedSecret>;

/** Lets its holder register clients dynamically (RFC 7591 section 1.2). */
export const issueInitialAccessToken = z.strictObject({
  expiresInSeconds: z
    .int()
    .min(60)
    .max(365 * 86_400)
    .default(86_400),
});
export const initialAccessToken = z.object({ token: z.string(), expiresAt: z.string() });
export type InitialAccessToken = z.infer<typeof initialAccessToken>;
