import { AccessTokenVerifier, ownerOf, TokenRefused, TokenUndecided } from '@gatepost/token-guard';
import type { BearerVerifier, VerifiedSubject } from './bearer-verifier.ts';

type Claims = NonNullable<ReturnType<AccessTokenVerifier['peek']>>;

/** Bearer verification by token-guard, which caches verified tokens and honours revocation. */
export function verifyWithTokenGuard(
  verifier: Pick<AccessTokenVerifier, 'peek' | 'verify'>,
  publicUrl: string,
): BearerVerifier {
  return {
    peek(bearer) {
      const claims = verifier.peek(bearer);
      return claims && subjectOf(claims);
    },
    async verify(token, scheme, facts) {
      const proof = facts.headers['dpop'];
      const verdict = await verifier.verify({
        token,
        scheme,
        method: facts.method,
        url: publicUrl + facts.path,
        dpopProof: typeof proof === 'string' ? proof : undefined,
      });
      return verdict instanceof TokenRefused || verdict instanceof TokenUndecided
        ? undefined
        : subjectOf(verdict);
    },
  };
}

function subjectOf(claims: Claims): VerifiedSubject {
  const owner = ownerOf(claims);
  const colon = owner.indexOf(':');
  return { kind: owner.slice(0, colon) as 'user' | 'client', id: owner.slice(colon + 1) };
}
