export { Caller, OptionalAccessToken, RequireScopes } from './access-token.decorators.ts';
export { AccessTokenGuard, PublicOrigin } from './access-token.guard.ts';
export {
  type AccessTokenClaims,
  missingScopes,
  ownerOf,
  type StatusReference,
  type TokenDoubt,
  type TokenRefusal,
  TokenRefused,
  TokenUndecided,
  tokenRefusals,
} from './access-token.ts';
export {
  AccessTokenVerifier,
  type AccessTokenVerifierOptions,
  DEFAULT_ALGORITHMS,
} from './access-token-verifier.ts';
export { type Caller as TokenCaller, callerOf } from './caller.ts';
export {
  credentialsUnreadable,
  scopeMissing,
  tokenMissing,
  tokenRefused,
  tokenUndecided,
} from './challenge.ts';
export type { TokenGuardEvent, TokenGuardObserver, TokenGuardState } from './observer.ts';
export { type PresentedToken, readAuthorization, type TokenScheme } from './presented-token.ts';
export type { ProofMemory } from './proof-memory.ts';
export { TokenGuardModule, type TokenGuardModuleOptions } from './token-guard.module.ts';
export { TokenGuardMetrics } from './token-guard-metrics.ts';
export { SIGNATURE_ALGORITHMS, type SignatureAlgorithm } from './verification-keys.ts';
export { type Expectations, verifyAccessToken } from './verify-access-token.ts';
