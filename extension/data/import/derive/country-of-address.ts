// The country of an address, from a database of MaxMind's form that the user has.
import { open, type Response } from 'maxmind';
import { ImportError } from '../import-error';

const ADDRESSES = 50_000;

/** The country of a record as MaxMind has it, or of a flat one. */
function countryIn(record: object): string | undefined {
  const country = 'country' in record ? record.country : undefined;
  const nested =
    typeof country === 'object' && country !== null && 'iso_code' in country ? country.iso_code : undefined;
  const code = nested ?? ('country_code' in record ? record.country_code : undefined);
  return typeof code === 'string' ? code : undefined;
}

/** Opens a database. Throws an ImportError if it has no countries. */
export async function openCountries(path: string): Promise<(ip: string) => string | undefined> {
  const reader = await open<Response>(path, { cache: { max: ADDRESSES } }).catch((error: unknown) => {
    throw unusable(path, error instanceof Error ? error.message : String(error));
  });
  const find = (ip: string): Response | null => {
    try {
      return reader.get(ip);
    } catch {
      // The name of a host, or a masked address.
      return null;
    }
  };
  const samples = SAMPLES.map(find).filter((found) => found !== null);
  if (samples.length > 0 && !samples.some((found) => countryIn(found) !== undefined))
    throw unusable(path, 'its records have neither country.iso_code nor country_code');
  return (ip) => {
    const found = find(ip);
    return found === null ? undefined : countryIn(found);
  };
}

/** Addresses all over the networks: nearly every database knows some of them. */
const SAMPLES = Array.from({ length: 222 * 4 }, (_, place) => `${(place >> 2) + 1}.${(place & 3) * 64}.1.1`);

const unusable = (path: string, reason: string): ImportError =>
  new ImportError(
    `${path} cannot be used as a database of countries (${reason}); it must be a file such as GeoLite2-Country.mmdb`,
  );
