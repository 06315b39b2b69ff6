// The database of countries that every import uses: the one that the setting QAL_GEOIP names, or the one that was uploaded.
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ImportError } from '../import-error';
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
export async function storePlaces(dataDir: string, body: Readable, mostMb: number): Promise<void> {
  const path = uploadedFile(dataDir);
  const arriving = `${path}.${randomUUID()}`;
  try {
    await pipeline(body, atMost(mostMb), createWriteStream(arriving));
    await openPlaces(arriving, 'The file');
    await rename(arriving, path);
  } finally {
    await rm(arriving, { force: true });
  }
}

const atMost = (mostMb: number) =>
  async function* (body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > mostMb * 2 ** 20)
        throw new ImportError(`The file has more than ${mostMb} MB (QAL_IMPORT_MB)`);
      yield piece;
    }
  };
