export type TokenScheme = 'bearer' | 'dpop';

/** An access token as it came with a request. */
export interface PresentedToken {
  readonly token: string;
  readonly scheme: TokenScheme;
  readonly method: string;
  /** The request's address as the client knows it: public origin and path. */
  readonly url: string;
  /** The `DPoP` field. */
  readonly dpopProof?: string | undefined;
}

/** RFC 6750 §2.1 and RFC 9449 §7.1: the scheme in any case, one token. Undefined for anything else. */
export function readAuthorization(
  authorization: string,
): { scheme: TokenScheme; token: string } | undefined {
  const [, scheme, token] = /^(bearer|dpop) +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization) ?? [];
  if (!scheme || !token) return undefined;
  return { scheme: scheme.toLowerCase() as TokenScheme, token };
}
