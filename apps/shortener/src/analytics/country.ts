import { type CountryResponse, open, type Reader } from 'maxmind';

/** ISO 3166-1 alpha-2 of an address; empty: unknown. */
export type CountryOf = (ip: string) => string;

/** Without a database file all countries are unknown. */
export const noCountries: CountryOf = () => '';

const REMEMBERED_ADDRESSES = 10_000;

/** Reads the operator's database file, and again whenever it changes: its licence asks to replace it often. */
export async function openCountries(path: string): Promise<CountryOf> {
  const reader: Reader<CountryResponse> = await open<CountryResponse>(path, {
    cache: { max: REMEMBERED_ADDRESSES },
    watchForUpdates: true,
    watchForUpdatesNonPersistent: true,
  });
  return (ip) => {
    try {
      return reader.get(ip)?.country?.iso_code ?? '';
    } catch {
      return ''; // not an address
    }
  };
}
