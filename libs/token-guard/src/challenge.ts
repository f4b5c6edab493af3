import { DomainError } from '@gatepost/problem-details';
import { type TokenRefused, type TokenUndecided, tokenRefusals } from './access-token.ts';
import type { TokenScheme } from './presented-token.ts';
import { DEFAULT_PROOF_ALGORITHMS } from './proof-algorithms.ts';

const BEARER = 'Bearer realm="gatepost"';
const DPOP = `DPoP algs="${DEFAULT_PROOF_ALGORITHMS.join(' ')}"`;

/** RFC 6750 §3.1: without credentials the challenge names no error. */
export function tokenMissing(): DomainError {
  return new DomainError('token-missing', 'Send an access token as Authorization: Bearer.', {
    headers: { 'www-authenticate': `${BEARER}, ${DPOP}` },
  });
}

/** Credentials that are not an access token at all. */
export function credentialsUnreadable(): DomainError {
  const detail = 'The Authorization field does not hold one Bearer or DPoP token.';
  return refused('bearer', 'invalid_token', detail);
}

export function tokenRefused(refusal: TokenRefused, scheme: TokenScheme): DomainError {
  const error = refusal.isFaultOfProof ? 'invalid_dpop_proof' : 'invalid_token';
  // The one who must come back with a proof is told the scheme that takes one.
  const answerIn = refusal.reason === 'proof-required' ? 'dpop' : scheme;
  return refused(answerIn, error, tokenRefusals[refusal.reason]);
}

export function scopeMissing(missing: readonly string[], scheme: TokenScheme): DomainError {
  const names = missing.join(' ');
  const detail = `The access token lacks the scope ${names}.`;
  const parameters = `error="insufficient_scope", error_description="${detail}", scope="${names}"`;
  return new DomainError('scope-missing', detail, {
    headers: { 'www-authenticate': challenge(scheme, parameters) },
  });
}

/** Not the client's fault, so no challenge: it should keep its token and come again. */
export function tokenUndecided({ lacking }: TokenUndecided): DomainError {
  const what = lacking === 'status' ? 'the status of the access token' : 'the keys of its issuer';
  return new DomainError('service-unavailable', `Right now ${what} cannot be checked.`, {
    headers: { 'retry-after': '1' },
  });
}

function refused(scheme: TokenScheme, error: string, detail: string): DomainError {
  const parameters = `error="${error}", error_description="${toFieldText(detail)}"`;
  return new DomainError('token-refused', detail, {
    headers: { 'www-authenticate': challenge(scheme, parameters) },
  });
}

function challenge(scheme: TokenScheme, parameters: string): string {
  return scheme === 'dpop' ? `${DPOP}, ${parameters}` : `${BEARER}, ${parameters}`;
}

/** RFC 6750 §3 allows printable ASCII without quotes and backslashes. */
function toFieldText(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'");
}
