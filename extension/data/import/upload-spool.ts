// Receives uploads completely before they are imported, so that a slow client holds neither a transaction nor a turn in the
// import queue. The beginning of an upload is kept in memory, the rest in an unlinked file.
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { codeOf, createFolder } from '../../../host-shim/extension-api';

/**
 * Thrown if an upload cannot be received: it is too large (`too-large`), there is no room until other uploads are imported
 * (`full`), or the disk is full (`disk-full`).
 */
export class SpoolError extends Error {
  override readonly name = 'SpoolError';
  constructor(
    readonly reason: 'too-large' | 'full' | 'disk-full',
    cause?: unknown,
  ) {
    super(`The upload was not received: ${reason}.`, { cause });
  }
}

export interface Upload {
  /** The received bytes, to be read once. */
  readonly input: Readable;
  discard(): Promise<void>;
}

interface SpoolOptions {
  readonly folder: string;
  /** The maximum for all uploads together. */
  readonly maxBytes: number;
  readonly openFile?: (folder: string) => Promise<FileHandle>;
}

export type UploadSpool = ReturnType<typeof createUploadSpool>;

const MEMORY_BYTES = 256 * 1024;

export function createUploadSpool({ folder, maxBytes, openFile = openUnlinked }: SpoolOptions) {
  /** The reserved bytes of each upload. */
  const uploads = new Map<symbol, number>();
  const reserved = (): number => [...uploads.values()].reduce((sum, bytes) => sum + bytes, 0);

  const reserve = (upload: symbol, bytes: number): void => {
    if (bytes > maxBytes) throw new SpoolError('too-large');
    if (reserved() - (uploads.get(upload) ?? 0) + bytes > maxBytes) throw new SpoolError('full');
    uploads.set(upload, bytes);
  };

  return {
    maxBytes,
    /** Throws a SpoolError if there is no room for the declared bytes. */
    admit(declaredBytes: number): void {
      const probe = Symbol();
      reserve(probe, declaredBytes);
      uploads.delete(probe);
    },
    /** Reserves the declared bytes, and receives a body. Throws a SpoolError or the error of the body. */
    async receive(body: Readable, declaredBytes: number): Promise<Upload> {
      const upload = Symbol();
      const start: Buffer[] = [];
      let bytes = 0;
      let file: FileHandle | undefined;
      const discard = async (): Promise<void> => {
        if (uploads.delete(upload)) await file?.close();
      };
      try {
        reserve(upload, declaredBytes);
        for await (const chunk of body) {
          bytes += chunk.length;
          if (bytes > declaredBytes) reserve(upload, bytes);
          if (bytes > MEMORY_BYTES) file ??= await openFile(folder);
          if (file === undefined) start.push(chunk);
          else await file.appendFile(chunk);
        }
      } catch (error) {
        await discard();
        throw isDiskFull(error) ? new SpoolError('disk-full', error) : error;
      }
      return { input: Readable.from(stored(start, file), { objectMode: false }), discard };
    },
    use: () => ({ uploads: uploads.size, bytes: reserved() }),
  };
}

async function openUnlinked(folder: string): Promise<FileHandle> {
  await createFolder(folder, 0o700);
  const path = join(folder, randomUUID());
  const file = await open(path, 'wx+', 0o600);
  // An open file stays readable after it is unlinked, and disappears even if the process is killed.
  await unlink(path);
  return file;
}

async function* stored(start: readonly Buffer[], file: FileHandle | undefined): AsyncGenerator<Buffer> {
  yield* start;
  if (file !== undefined) yield* file.createReadStream({ start: 0, autoClose: false });
}

const isDiskFull = (error: unknown): boolean => /^(ENOSPC|EDQUOT)$/.test(codeOf(error) ?? '');
