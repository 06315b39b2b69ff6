// Where an address is, from a database of MaxMind's form that the user has.
import { open, type Reader, type Response } from 'maxmind';
import { ImportError } from '../import-error';

const ADDRESSES = 50_000;

export const PLACE_COLUMNS = ['country_code', 'region', 'city'] as const;
type Place = Readonly<Partial<Record<(typeof PLACE_COLUMNS)[number], string | undefined>>>;
export type PlaceOf = (ip: string) => Place;

const NOWHERE: Place = {};

/** The value behind these keys, if it is a text. */
function textIn(record: unknown, ...keys: readonly (string | number)[]): string | undefined {
  let value = record;
  for (const key of keys)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The place of a record as MaxMind has it, with English names, or of a flat one. */
const placeIn = (record: object): Place => ({
  country_code: textIn(record, 'country', 'iso_code') ?? textIn(record, 'country_code'),
  region: textIn(record, 'subdivisions', 0, 'names', 'en') ?? textIn(record, 'region'),
  city: textIn(record, 'city', 'names', 'en') ?? textIn(record, 'city'),
});

/** Opens a database. Throws an ImportError that calls it `name` if it has no countries. */
export async function openPlaces(path: string, name = path): Promise<PlaceOf> {
  const fail = (error: unknown): never => {
    throw unusable(name, error instanceof Error ? error.message : String(error));
  };
  const reader = await open<Response>(path, { cache: { max: ADDRESSES } }).catch(fail);
  const find = (ip: string): Response | null => {
    try {
      return reader.get(ip);
    } catch {
      // The name of a host, or a masked address.
      return null;
    }
  };
  const samples = samplesOf(reader, fail);
  if (samples.length > 0 && !samples.some((found) => placeIn(found).country_code !== undefined))
    throw unusable(name, 'its records have neither country.iso_code nor country_code');
  return (ip) => {
    const found = find(ip);
    return found === null ? NOWHERE : placeIn(found);
  };
}

/** Addresses all over the networks: nearly every database knows some of them. */
const SAMPLES = Array.from({ length: 222 * 4 }, (_, place) => `${(place >> 2) + 1}.${(place & 3) * 64}.1.1`);

/** They are addresses, so only a damaged database fails. */
function samplesOf(reader: Reader<Response>, fail: (error: unknown) => never): readonly Response[] {
  try {
    return SAMPLES.map((ip) => reader.get(ip)).filter((found) => found !== null);
  } catch (error) {
    return fail(error);
  }
}

const unusable = (name: string, reason: string): ImportError =>
  new ImportError(
    `${name} cannot be used as a database of countries (${reason}); it must be a file such as GeoLite2-Country.mmdb or GeoLite2-City.mmdb`,
  );
