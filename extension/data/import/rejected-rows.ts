// Rows that are not imported: what is known of each, and the NDJSON file that collects them. The file is written beside its
// final name, and put in place only when the import is done.
import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { ImportError } from './import-error';

export interface RejectedRow {
  readonly line: number;
  readonly column: string | null;
  readonly value: unknown;
  readonly reason: string;
  /** The row as it stands in the file, if that is JSON. */
  readonly json?: string;
  /** Otherwise: the row as an object, its cells if they do not fit the header, or the text of a line that holds no row. */
  readonly row?: unknown;
}

interface RejectedFile {
  add(row: RejectedRow): Promise<void>;
  /** Puts the file in place. Gives its path, or undefined if nothing was rejected. */
  keep(): Promise<string | undefined>;
  /** Removes what was written, because the import failed. */
  discard(): Promise<void>;
}

interface RejectedFileOptions {
  /** Whether an older file of this name is about the same rows, so that it goes if nothing is rejected. */
  readonly outdatesOld: boolean;
  /** Whether an older file of this name is about rows before these, so that these are added to it. */
  readonly goesOn?: boolean;
}

const CHARACTERS_AT_ONCE = 65_536;

/** A file of rejected rows at `path`, which replaces an older one or goes on in it. Its methods throw an ImportError if they cannot write. */
export function rejectedFile(
  path: string,
  { outdatesOld, goesOn = false }: RejectedFileOptions,
): RejectedFile {
  const unfinished = `${path}.part`;
  let handle: FileHandle | undefined;
  let waiting = '';
  const write = async (): Promise<void> => {
    const text = waiting;
    waiting = '';
    try {
      handle ??= await open(unfinished, 'w');
      await handle.appendFile(text);
    } catch (error) {
      throw cannotWrite(path, error);
    }
  };
  return {
    async add(row) {
      waiting += lineOf(row);
      if (handle === undefined || waiting.length >= CHARACTERS_AT_ONCE) await write();
    },
    async keep() {
      if (handle === undefined) {
        if (outdatesOld) await rm(path, { force: true });
        return undefined;
      }
      await write();
      await handle.close();
      try {
        if (goesOn) {
          await pipeline(createReadStream(unfinished), createWriteStream(path, { flags: 'a' }));
          await rm(unfinished);
        } else await rename(unfinished, path);
      } catch (error) {
        throw cannotWrite(path, error);
      }
      return path;
    },
    async discard() {
      if (handle === undefined) return;
      await handle.close();
      await rm(unfinished, { force: true });
    },
  };
}

/** A row of NDJSON goes out as it came in: it may nest deeper than JSON.stringify can write. */
function lineOf({ line, column, value, reason, row, json }: RejectedRow): string {
  const shown = typeof value === 'object' ? null : value;
  const head = JSON.stringify({ line, column, value: shown, reason });
  return `${head.slice(0, -1)},"row":${json?.trim() ?? JSON.stringify(row)}}\n`;
}

function cannotWrite(path: string, error: unknown): ImportError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ImportError(
    `The rejected rows cannot be written to ${path} (${reason}); name a file that this account may write with --rejected`,
  );
}
