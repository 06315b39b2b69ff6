// Rows that are not imported: what is known about each, and the NDJSON file that collects them. The file is
// written next to its final path, and renamed only when the import succeeds.
import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { codeOf, createFolder, giveToOwnerOf, messageOf } from '../../../host-shim/extension-api';
import { ImportError } from './import-error';

export interface RejectedRow {
  readonly line: number;
  readonly column: string | null;
  readonly value: unknown;
  readonly reason: string;
  /** The row as it is in the file, if the file is JSON. */
  readonly json?: string;
  /**
   * If the file is not JSON: the row as an object, its cells if they do not match the header, or the text of a line that
   * contains no row.
   */
  readonly row?: unknown;
}

export type RejectedFile = ReturnType<typeof rejectedFile>;

interface RejectedFileOptions {
  /** The tracking id of the site that the rows are imported into. */
  readonly site: string;
  /** Whether an older file with this name has rejections from the same rows. It is then removed if nothing is rejected. */
  readonly replacesOld: boolean;
  /** Whether an older file with this name has rejections from earlier rows. The new ones are then appended to it. */
  readonly continues?: boolean;
  /** Where the file is written if it cannot be created at its path. */
  readonly fallback?: string;
  /** Called with the final path after the first rows are written. */
  readonly note?: ((path: string) => Promise<unknown>) | undefined;
}

/** The extension of the file until its import succeeds. */
export const UNFINISHED = '.part';

/** Imports of one file into several sites, such as followers of a log, may run at the same time. */
export const unfinishedPath = (path: string, site: string): string => `${path}.${site}${UNFINISHED}`;

const CHARACTERS_AT_ONCE = 65_536;

/**
 * A file of rejected rows at `path`, which replaces an older one or appends to it. Its methods throw an
 * ImportError if they cannot write.
 */
export function rejectedFile(
  wanted: string,
  { site, replacesOld, continues = false, fallback, note }: RejectedFileOptions,
) {
  let path = wanted;
  let unfinished = unfinishedPath(path, site);
  let isCreated = false;
  // The file is not kept open: thousands of small files may have rejected rows in one transaction.
  const create = async (): Promise<void> => {
    try {
      await (await open(unfinished, 'w')).close();
    } catch (error) {
      if (fallback === undefined) throw error;
      path = fallback;
      unfinished = unfinishedPath(path, site);
      await createFolder(dirname(path), 0o700);
      await (await open(unfinished, 'w', 0o600)).close();
    }
    isCreated = true;
  };
  let waiting = '';
  const write = async (): Promise<void> => {
    const text = waiting;
    waiting = '';
    const isNew = !isCreated;
    try {
      if (isNew) await create();
      await appendFile(unfinished, text);
    } catch (error) {
      throw cannotWrite(path, error);
    }
    if (isNew) await note?.(path);
  };
  return {
    async add(row: RejectedRow): Promise<void> {
      waiting += lineOf(row);
      if (!isCreated || waiting.length >= CHARACTERS_AT_ONCE) await write();
    },
    /** Renames the file. Returns its path, or undefined if nothing was rejected. */
    async keep(): Promise<string | undefined> {
      if (!isCreated) {
        if (replacesOld) for (const old of [path, fallback]) if (old !== undefined) await removeOld(old);
        return undefined;
      }
      await write();
      try {
        if (continues) {
          await pipeline(createReadStream(unfinished), createWriteStream(path, { flags: 'a' }));
          await rm(unfinished);
        } else await rename(unfinished, path);
        await giveToOwnerOf(dirname(path), path);
      } catch (error) {
        throw cannotWrite(path, error);
      }
      return path;
    },
    /** Removes what was written, because the import failed. */
    async discard(): Promise<undefined> {
      if (isCreated) await rm(unfinished, { force: true });
      return undefined;
    },
  };
}

/** Leaves a file in a read-only folder, where new rows would not replace it either. */
const removeOld = (path: string): Promise<void> =>
  rm(path, { force: true }).catch((error: unknown) => {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) throw error;
  });

/** A row of NDJSON is written unchanged: it may be nested deeper than JSON.stringify can write. */
function lineOf({ line, column, value, reason, row, json }: RejectedRow): string {
  const shown = typeof value === 'object' ? null : value;
  const head = JSON.stringify({ line, column, value: shown, reason });
  return `${head.slice(0, -1)},"row":${json?.trim() ?? JSON.stringify(row)}}\n`;
}

const cannotWrite = (path: string, error: unknown): ImportError =>
  new ImportError(
    `The rejected rows cannot be written to ${path} (${messageOf(error)}); specify a writable file with --rejected`,
  );
