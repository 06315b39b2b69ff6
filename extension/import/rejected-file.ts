// Owns the file of rejected rows: written beside its final name, and put in place only with the outcome.
// Rejected rows in -> NDJSON, one row on a line with its place and reason. Nothing rejected: no file.
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { RejectedRow } from './fill-batches';
import { ImportError } from './import-error';

export interface RejectedFile {
  add(row: RejectedRow): Promise<void>;
  /** Puts the file in place; answers its path, or undefined when nothing was rejected. */
  keep(): Promise<string | undefined>;
  /** Removes what was written: the import failed, so its rejected rows mean nothing. */
  discard(): Promise<void>;
}

export interface RejectedFileOptions {
  /** Whether an older file of this name is about the same rows, and so goes away when nothing was rejected. */
  readonly outdatesOld: boolean;
}

const CHARACTERS_AT_ONCE = 65_536;

/** A file of rejected rows at `path`; it replaces an older one of this name. */
export function rejectedFile(path: string, { outdatesOld }: RejectedFileOptions): RejectedFile {
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
        await rename(unfinished, path);
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

/** A row of NDJSON goes out as it came in: it may nest deeper than can be written anew. */
function lineOf({ line, column, value, reason, row, json }: RejectedRow): string {
  const shown = typeof value === 'object' ? null : value;
  const head = JSON.stringify({ line, column, value: shown, reason });
  return `${head.slice(0, -1)},"row":${json?.trim() ?? JSON.stringify(row)}}\n`;
}

function cannotWrite(path: string, error: unknown): ImportError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ImportError(
    `The rejected rows cannot be written to ${path} (${reason}); put the file to import where this account may write, or pipe it in with -`,
  );
}
