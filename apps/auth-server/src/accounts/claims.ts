import type { Account, PostalAddress } from './account.ts';

/** Authentication context and method of a sign-in by password (RFC 8176 calls the method `pwd`). */
export const PASSWORD_ACR = 'urn:gatepost:acr:password';
export const PASSWORD_AMR: readonly string[] = ['pwd'];

/** Members of `profile` that may leave as claims; anything else that is stored there stays inside. */
const PROFILE_CLAIMS = [
  'given_name',
  'family_name',
  'middle_name',
  'nickname',
  'preferred_username',
  'profile',
  'picture',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
] as const;

/**
 * All claims of an account (OpenID Connect Core 5.1). The provider leaves out what was not granted. Claims without a
 * value are absent, as 5.3.2 wants; `*_verified` go along with what they speak of.
 */
export function toClaims(account: Account): { sub: string; [claim: string]: unknown } {
  const { address, phoneNumber } = account;
  return {
    sub: account.id,
    ...(account.name ? { name: account.name } : {}),
    ...pickProfile(account.profile),
    updated_at: Math.floor(account.updatedAt.getTime() / 1000),
    email: account.email,
    email_verified: account.emailVerified,
    ...(address ? { address: { formatted: formatAddress(address), ...address } } : {}),
    ...(phoneNumber
      ? { phone_number: phoneNumber, phone_number_verified: account.phoneNumberVerified }
      : {}),
  };
}

function pickProfile(profile: Account['profile']): Record<string, unknown> {
  return Object.fromEntries(
    PROFILE_CLAIMS.filter((claim) => profile[claim] !== undefined && profile[claim] !== '').map(
      (claim) => [claim, profile[claim]],
    ),
  );
}

/** The address as it stands on an envelope, lines separated by a newline (5.1.1). */
function formatAddress(address: PostalAddress): string {
  const town = [address.postal_code, address.locality].filter(Boolean).join(' ');
  return [address.street_address, town, address.region, address.country]
    .filter((line) => line !== undefined && line !== '')
    .join('\n');
}
