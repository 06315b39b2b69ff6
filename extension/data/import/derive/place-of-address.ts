// Looks up the location of an IP address in a database in MaxMind's format, which the user provides.
import { isIP } from 'node:net';
import { open, type Response } from 'maxmind';
import { messageOf } from '../../../../host-shim/extension-api';
import { ImportError } from '../import-error';

const ADDRESSES = 50_000;

export const PLACE_COLUMNS = ['country_code', 'region', 'city'] as const;
type Place = Readonly<Partial<Record<(typeof PLACE_COLUMNS)[number], string | undefined>>>;
export type PlaceOf = (ip: string) => Place;

const NOWHERE: Place = {};

/** The value at these keys, if it is a string. */
function textIn(record: unknown, ...keys: readonly (string | number)[]): string | undefined {
  let value = record;
  for (const key of keys)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The place in a record, which either has MaxMind's form, with English names, or is flat. */
const placeIn = (record: object): Place => ({
  country_code: textIn(record, 'country', 'iso_code') ?? textIn(record, 'country_code'),
  region: textIn(record, 'subdivisions', 0, 'names', 'en') ?? textIn(record, 'region'),
  city: textIn(record, 'city', 'names', 'en') ?? textIn(record, 'city'),
});

/**
 * Opens a database, which errors refer to as `name`. Throws an ImportError if the database cannot be read or has no countries.
 * A lookup throws an ImportError if the database is damaged.
 */
export async function openPlaces(path: string, name = path): Promise<PlaceOf> {
  const fail = (error: unknown): never => {
    throw unusable(name, error);
  };
  const reader = await open<Response>(path, { cache: { max: ADDRESSES } }).catch(fail);
  const find = (ip: string): Response | null => {
    try {
      return reader.get(ip);
    } catch (error) {
      return fail(error);
    }
  };
  const samples = SAMPLES.map(find).filter((found) => found !== null);
  if (samples.length > 0 && !samples.some((found) => placeIn(found).country_code !== undefined))
    throw unusable(name, 'its records have neither country.iso_code nor country_code');
  const { ipVersion } = reader.metadata;
  return (ip) => {
    // Host names and masked addresses have version 0. An IPv4 database would misread IPv6 addresses.
    const version = isIP(ip);
    const found = version === 0 || version > ipVersion ? null : find(ip);
    return found === null ? NOWHERE : placeIn(found);
  };
}

/** Addresses in many networks: nearly every database contains some of them. */
const SAMPLES = Array.from({ length: 222 * 4 }, (_, index) => `${(index >> 2) + 1}.${(index & 3) * 64}.1.1`);

export const unusable = (name: string, reason: unknown): ImportError =>
  new ImportError(
    `${name} cannot be used as a country database (${messageOf(reason)}); it must be a file such as GeoLite2-Country.mmdb or GeoLite2-City.mmdb`,
  );
