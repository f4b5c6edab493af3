import type { RequestFacts } from '../limiting/limit-verdict.ts';
import type { BearerScheme } from './client-key.ts';

/** Whom a valid access token acts for. */
export interface VerifiedSubject {
  readonly kind: 'user' | 'client';
  readonly id: string;
}

/** Tells valid access tokens from all else. Never rejects: what it cannot decide is unknown. */
export interface BearerVerifier {
  /** The subject of a token that was verified before and still stands; `undefined` says nothing. */
  peek(bearer: string): VerifiedSubject | undefined;
  verify(
    bearer: string,
    scheme: BearerScheme,
    facts: RequestFacts,
  ): Promise<VerifiedSubject | undefined>;
}

/** For a gateway without an issuer: every token is unknown. */
export const NO_TOKENS: BearerVerifier = {
  peek: () => undefined,
  verify: async () => undefined,
};
