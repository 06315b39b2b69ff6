// Reads the files that commands are given, and says in a sentence why one cannot be read.
import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { WrongUsage } from './command';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is not a directory',
  EISDIR: 'it is a directory, and a file is needed',
  EACCES: 'this account may not read it',
  EPERM: 'this account may not read it',
};

/** The refusal of a file, worded from the error of the system. */
export function cannotRead(file: string, error: unknown): WrongUsage {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const reason = REASONS[code] ?? (error instanceof Error ? error.message : String(error));
  return new WrongUsage(`${file} cannot be read: ${reason}.`);
}

/** The whole text of a file. */
export async function readTextFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw cannotRead(file, error);
  }
}

/** The size of a file that is going to be read piece by piece; refuses one that cannot be. */
export async function sizeOfReadable(file: string): Promise<number> {
  try {
    await access(file, constants.R_OK);
    const about = await stat(file);
    if (about.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
    return about.size;
  } catch (error) {
    throw cannotRead(file, error);
  }
}
