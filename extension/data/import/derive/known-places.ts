// The country database that every import uses: the one in the QAL_GEOIP setting, or the uploaded one.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { codeOf, ignoreMissing } from '../../../../host-shim/extension-api';
import { withinBytes } from '../formats/open-source';
import { openPlaces, type PlaceOf, unusable } from './place-of-address';

interface GeoipChoice {
  readonly dataDir: string;
  /** The path in the setting. */
  readonly geoip: string | undefined;
}

export type KnownPlaces = ReturnType<typeof createKnownPlaces>;

const UPLOADED = 'geoip.mmdb';
const UNFINISHED = /^geoip\.mmdb\.[\da-f-]{36}$/;

export function createKnownPlaces({ dataDir, geoip }: GeoipChoice) {
  const uploaded = join(dataDir, UPLOADED);
  const path = geoip ?? uploaded;
  /** A database takes as much memory as its file, so imports share it until the file changes. */
  let opened: { readonly file: string; readonly places: Promise<PlaceOf> } | undefined;
  return {
    /** When the file was last changed; undefined if it does not exist. */
    since: async (): Promise<Date | undefined> => (await stat(path).catch(ignoreMissing))?.mtime,
    /** Opens the database; returns undefined if it does not exist. Throws an ImportError if it cannot be used. */
    async open(): Promise<PlaceOf | undefined> {
      const found = await stat(path, { bigint: true }).catch((error: unknown) => {
        if (geoip !== undefined || codeOf(error) !== 'ENOENT') throw unusable(path, error);
      });
      if (found === undefined) return undefined;
      const file = [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join();
      if (opened?.file === file) return opened.places;
      const places = openPlaces(path);
      const opening = { file, places };
      opened = opening;
      places.catch(() => {
        if (opened === opening) opened = undefined;
      });
      return places;
    },
    /** Replaces the uploaded database once the new one is complete. Throws an ImportError if the new one cannot be used. */
    async store(body: Readable, maxMb: number): Promise<void> {
      const arriving = `${uploaded}.${randomUUID()}`;
      await mkdir(dataDir, { recursive: true, mode: 0o700 });
      try {
        // A write stream that failed could still create the file after its removal below.
        await writeFile(arriving, withinBytes(body, maxMb * 2 ** 20, ''));
        await openPlaces(arriving, 'The file');
        await rename(arriving, uploaded);
      } finally {
        await rm(arriving, { force: true });
      }
    },
    /** Removes uploads that a crash interrupted. */
    async removeUnfinished(): Promise<void> {
      // If the database is elsewhere, the folder may not exist yet.
      for (const name of existsSync(dataDir) ? await readdir(dataDir) : [])
        if (UNFINISHED.test(name)) await rm(join(dataDir, name), { force: true });
    },
  };
}
