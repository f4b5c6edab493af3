/** One sign-in, as it is stored. Times are Unix seconds. */
export interface Session {
  readonly issuer: string;
  readonly clientId: string;
  /** From the validated id_token, which is what proves a login; the access token does not. */
  readonly subject: string;
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  /** Granted, not asked for. */
  readonly scope: string;
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly expiresAt: number;
  readonly signedInAt: number;
}

export function hasScope(session: Session, scope: string): boolean {
  return session.scope.split(' ').includes(scope);
}
