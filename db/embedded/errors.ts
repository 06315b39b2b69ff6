// The errors of the embedded server; their messages are written for people.
import { statfs } from 'node:fs/promises';

const WAY_OUT =
  'Set DATABASE_URL to a PostgreSQL server of your own (15 or newer), for example postgres://user:password@localhost:5432/qal.';

/** The embedded server cannot work here; the message says why and what to do. */
export class EmbeddedServerError extends Error {
  override readonly name: string = 'EmbeddedServerError';
}

/** Another process answers requests from this data directory. */
export class DirectoryInUseError extends EmbeddedServerError {
  override readonly name = 'DirectoryInUseError';

  constructor(
    readonly directory: string,
    readonly holder: string,
  ) {
    super(
      `The data directory ${directory} is served by ${holder}. Stop that server first, or set DATA_DIR to another directory.`,
    );
  }
}

const DISK_FULL =
  'The disk of the data directory is full. Make room there, or set DATA_DIR to a directory on another disk.';

/** What Node and PostgreSQL say of a disk that takes nothing, and what to do about it. */
const DISK_FAULTS: readonly (readonly [says: RegExp, advice: string])[] = [
  [/ENOSPC|No space left on device/i, DISK_FULL],
  [
    /EROFS|Read-only file system/i,
    'The data directory lies on a read-only file system. Make it writable, or set DATA_DIR to another directory.',
  ],
];

/** PostgreSQL writes its journal in files of 16 MB; with less room than two it does not recover. */
const LEAST_ROOM = 2 * 16 * 2 ** 20;

/** The error for a server that went away: on a full disk it cannot write into its log, either. */
export async function lossError(dataDir: string, loss: Error): Promise<Error> {
  const { bavail, bsize } = await statfs(dataDir);
  return bavail * bsize < LEAST_ROOM
    ? new EmbeddedServerError(`${loss.message} ${DISK_FULL}`, { cause: loss })
    : loss;
}

/** The error for a disk that takes nothing; undefined for any other failure. */
export function diskError(cause: unknown): EmbeddedServerError | undefined {
  const found = DISK_FAULTS.find(([says]) => says.test(String(cause)));
  return found && new EmbeddedServerError(found[1], { cause });
}

/** An EmbeddedServerError that ends with the advice to use one's own server, or says what is wrong with the disk. */
export function cannotRunHere(reason: string): EmbeddedServerError {
  const ofDisk = diskError(reason);
  if (ofDisk !== undefined) return ofDisk;
  return new EmbeddedServerError(`The embedded PostgreSQL cannot run here: ${reason} ${WAY_OUT}`);
}

/** The `code` of an error, such as ENOENT or 57P03. Does not ask for its class, which differs between realms. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
