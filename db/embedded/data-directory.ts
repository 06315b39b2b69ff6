// Creates the data directory, and says what to do where that is refused.
import { resolve } from 'node:path';
import { createFolder } from '../create-folder';
import { codeOf, EmbeddedServerError } from './errors';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this account may not write there',
  EPERM: 'this account may not write there',
  EROFS: 'the file system is read-only',
  ENOTSUP: 'the file system there takes no directories',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a file is in its way',
};

/** Creates the directory and those above it, where they are missing. Throws an EmbeddedServerError. */
export async function createDirectory(directory: string): Promise<void> {
  try {
    await createFolder(directory);
  } catch (error) {
    const reason = REASONS[codeOf(error) ?? ''] ?? String(error);
    throw new EmbeddedServerError(
      `The data directory ${resolve(directory)} cannot be created: ${reason}. Set DATA_DIR to a directory that this account can write.`,
      { cause: error },
    );
  }
}
