// The database of countries that every import uses: the one that the setting QAL_GEOIP names, or the one that was uploaded.
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openPlaces, type PlaceOf } from './place-of-address';

interface GeoipChoice {
  readonly dataDir: string;
  /** The path in the setting. */
  readonly geoip: string | undefined;
}

const uploadedFile = (dataDir: string): string => join(dataDir, 'geoip.mmdb');

/** When the file was last changed; undefined if there is none. */
export async function geoipSince({ dataDir, geoip }: GeoipChoice): Promise<Date | undefined> {
  const found = await stat(geoip ?? uploadedFile(dataDir)).catch(() => undefined);
  return found?.mtime;
}

/** undefined without a database. Throws an ImportError if it cannot be used. */
export async function knownPlaces(choice: GeoipChoice): Promise<PlaceOf | undefined> {
  if (choice.geoip === undefined && (await geoipSince(choice)) === undefined) return undefined;
  return openPlaces(choice.geoip ?? uploadedFile(choice.dataDir));
}

/** Replaces the uploaded database once the new one is complete. Throws an ImportError if it cannot be used. */
export async function storePlaces(dataDir: string, body: Readable): Promise<void> {
  const path = uploadedFile(dataDir);
  const arriving = `${path}.arriving`;
  try {
    await pipeline(body, createWriteStream(arriving));
    await openPlaces(arriving);
    await rename(arriving, path);
  } finally {
    await rm(arriving, { force: true });
  }
}
