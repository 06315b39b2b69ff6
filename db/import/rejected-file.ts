// Owns the file of rejected rows: written beside its final name, and put in place only with the outcome.
// Rejected rows in -> NDJSON, one row on a line with its place and reason. Nothing rejected: no file.

import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { RejectedRow } from './fill-batches';

export interface RejectedFile {
  add(row: RejectedRow): Promise<void>;
  /** Puts the file in place; answers its path, or undefined when nothing was rejected. */
  keep(): Promise<string | undefined>;
  /** Removes what was written: the import failed, so its rejected rows mean nothing. */
  discard(): Promise<void>;
}

/** A file of rejected rows at `path`. An older one of this name is replaced, or removed when there is no need for it. */
export function rejectedFile(path: string): RejectedFile {
  const unfinished = `${path}.part`;
  let stream: WriteStream | undefined;
  const open = async (): Promise<WriteStream> => {
    const opened = createWriteStream(unfinished);
    await once(opened, 'open');
    return opened;
  };
  const close = async (): Promise<void> => {
    if (stream === undefined) return;
    stream.end();
    await once(stream, 'close');
  };
  return {
    async add(row) {
      stream ??= await open();
      if (!stream.write(`${JSON.stringify(row)}\n`)) await once(stream, 'drain');
    },
    async keep() {
      if (stream === undefined) {
        await rm(path, { force: true });
        return undefined;
      }
      await close();
      await rename(unfinished, path);
      return path;
    },
    async discard() {
      await close();
      await rm(unfinished, { force: true });
    },
  };
}
