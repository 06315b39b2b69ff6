// The country of an address, from a database of MaxMind's form that the user has.
import { type CountryResponse, open } from 'maxmind';
import { ImportError } from '../import-error';

const ADDRESSES = 50_000;

/** Opens a database. Throws an ImportError if it has no countries. */
export async function openCountries(path: string): Promise<(ip: string) => string | undefined> {
  try {
    const reader = await open<CountryResponse>(path, { cache: { max: ADDRESSES } });
    return (ip) => {
      try {
        return reader.get(ip)?.country?.iso_code;
      } catch {
        // What is no address has no country.
        return undefined;
      }
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ImportError(
      `${path} cannot be used as a database of countries (${reason}); it must be a file such as GeoLite2-Country.mmdb`,
    );
  }
}
