// Stores the rows of results as JSON: the first ones in memory, the rest in an unlinked file. The statement therefore ends before
// the first byte is sent, and a slow reader keeps only one piece in memory.
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder } from '../../../host-shim/extension-api';
import type { HeldRows, RowStore } from '../../language/types/query-result';

interface StoreOptions {
  readonly folder: string;
  /** Size limit for all files together. Beyond it, the oldest complete files are discarded. */
  readonly maxBytes?: number;
  /** Limits the number of open files, because a process can open only a few thousand. */
  readonly maxFiles?: number;
}

const MEMORY_BYTES = 256 * 1024;
const MAX_FILE_BYTES = 4 * 2 ** 30;
const MAX_FILES = 500;

type Piece = Buffer | { readonly at: number; readonly length: number };

export function createRowStore(options: StoreOptions): RowStore {
  const { folder, maxBytes: maxFileBytes = MAX_FILE_BYTES, maxFiles = MAX_FILES } = options;
  const files = new Set<RowFile>();
  let bytesInFiles = 0;

  async function openFile(): Promise<RowFile> {
    await createFolder(folder, 0o700);
    const path = join(folder, randomUUID());
    const handle = await open(path, 'wx+', 0o600);
    // An open file stays readable after it is unlinked, and disappears even if the process crashes.
    await unlink(path);
    return { handle, bytes: 0, isGone: false };
  }

  function discard(file: RowFile): void {
    if (file.isGone) return;
    files.delete(file);
    file.isGone = true;
    bytesInFiles -= file.bytes;
    // A failure is harmless: the system closes the file when the process ends.
    file.handle.close().catch(() => undefined);
  }

  async function append(file: RowFile, text: Buffer): Promise<Piece> {
    const at = file.bytes;
    file.bytes += text.length;
    bytesInFiles += text.length;
    for (const oldest of files) {
      if (bytesInFiles <= maxFileBytes && files.size < maxFiles) break;
      discard(oldest);
    }
    // Unlike write(), continues after a partial write, as on a disk that is almost full.
    await file.handle.appendFile(text);
    return { at, length: text.length };
  }

  return {
    async keep(rows, maxBytes, tooLarge) {
      const pieces: Piece[] = [];
      let bytes = 0;
      let file: RowFile | undefined;
      try {
        for await (const batch of rows) {
          const text = Buffer.from(JSON.stringify(batch).slice(1, -1));
          bytes += text.length;
          if (bytes > maxBytes) throw tooLarge();
          if (bytes > MEMORY_BYTES) file ??= await openFile();
          pieces.push(file === undefined ? text : await append(file, text));
        }
        if (file !== undefined) files.add(file);
        return heldRows(pieces, bytes, file, discard);
      } catch (error) {
        if (file !== undefined) discard(file);
        throw error;
      }
    },
    use: () => bytesInFiles,
  };
}

interface RowFile {
  readonly handle: FileHandle;
  bytes: number;
  isGone: boolean;
}

function heldRows(
  pieces: readonly Piece[],
  bytes: number,
  file: RowFile | undefined,
  discard: (file: RowFile) => void,
): HeldRows {
  let holders = 1;

  async function* texts(): AsyncGenerator<Buffer, void, undefined> {
    for (const piece of pieces) yield Buffer.isBuffer(piece) ? piece : await readPiece(piece, file);
  }

  return {
    bytes,
    texts,
    async *batches() {
      for await (const text of texts()) yield JSON.parse(`[${text}]`);
    },
    hold() {
      holders += 1;
    },
    release() {
      holders -= 1;
      if (holders === 0 && file !== undefined) discard(file);
    },
    get isGone() {
      return file?.isGone === true;
    },
  };
}

async function readPiece({ at, length }: Exclude<Piece, Buffer>, file: RowFile | undefined): Promise<Buffer> {
  if (file === undefined || file.isGone)
    throw new Error('The rows of this answer were discarded to make room for newer ones.');
  const text = Buffer.allocUnsafe(length);
  const { bytesRead } = await file.handle.read(text, 0, length, at);
  if (bytesRead < length) throw new Error('A file of rows is shorter than expected.');
  return text;
}
