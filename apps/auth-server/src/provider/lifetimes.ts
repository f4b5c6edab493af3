import type { Configuration, RefreshToken } from 'oidc-provider';
import type { AuthEnv } from '../env.ts';

export type LifetimeSettings = Pick<
  AuthEnv,
  | 'CODE_TTL_S'
  | 'ACCESS_TOKEN_TTL_S'
  | 'ID_TOKEN_TTL_S'
  | 'REFRESH_IDLE_TTL_S'
  | 'REFRESH_ABSOLUTE_TTL_S'
  | 'SESSION_TTL_S'
  | 'DEVICE_CODE_TTL_S'
>;

/** Seconds a person has to finish signing in. */
const INTERACTION_TTL_S = 3600;

/** A refresh token lives until it was idle for too long or its family is too old, whichever is first. */
export function refreshTokenTtl(settings: LifetimeSettings, familyAgeSeconds: number): number {
  const left = settings.REFRESH_ABSOLUTE_TTL_S - familyAgeSeconds;
  return Math.max(1, Math.min(settings.REFRESH_IDLE_TTL_S, left));
}

/** The library's table of lifetimes, in seconds. */
export function lifetimes(settings: LifetimeSettings): NonNullable<Configuration['ttl']> {
  return {
    AuthorizationCode: settings.CODE_TTL_S,
    AccessToken: settings.ACCESS_TOKEN_TTL_S,
    ClientCredentials: settings.ACCESS_TOKEN_TTL_S,
    IdToken: settings.ID_TOKEN_TTL_S,
    RefreshToken: (_ctx: unknown, token: RefreshToken) =>
      refreshTokenTtl(settings, token.totalLifetime()),
    Session: settings.SESSION_TTL_S,
    Interaction: INTERACTION_TTL_S,
    DeviceCode: settings.DEVICE_CODE_TTL_S,
    // A grant outlives the session it was given in and every family of refresh tokens that starts in that session.
    Grant: settings.SESSION_TTL_S + settings.REFRESH_ABSOLUTE_TTL_S,
  };
}
