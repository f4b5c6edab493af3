import type { Configuration } from 'oidc-provider';
import type { Addresses } from '../env.ts';

/** Cookies are seen by the pages under the issuer's path alone, and never travel in clear when the issuer is https. */
export function cookieSettings(
  addresses: Addresses,
  keys: readonly string[],
): NonNullable<Configuration['cookies']> {
  const secure = addresses.issuer.startsWith('https:');
  const common = { httpOnly: true, sameSite: 'lax' as const, signed: true, secure };
  return {
    keys: [...keys],
    names: { session: 'gp_session', interaction: 'gp_interaction', resume: 'gp_resume' },
    long: { ...common, path: addresses.mount },
    short: common,
  };
}
