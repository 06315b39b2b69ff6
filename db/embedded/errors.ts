import { statfs } from 'node:fs/promises';

const USE_OWN_SERVER =
  'Set DATABASE_URL to your own PostgreSQL server (15 or newer), for example postgres://user:password@localhost:5432/qal.';

export class EmbeddedServerError extends Error {
  override readonly name: string = 'EmbeddedServerError';
}

export class DirectoryInUseError extends EmbeddedServerError {
  override readonly name = 'DirectoryInUseError';

  constructor(directory: string, holder: string) {
    super(
      `The data directory ${directory} is in use by ${holder}. Stop that server first, or set DATA_DIR to another directory.`,
    );
  }
}

/** The cluster was written by an earlier major version. */
export class OlderClusterError extends EmbeddedServerError {
  override readonly name = 'OlderClusterError';

  constructor(
    readonly clusterDir: string,
    readonly from: number,
    readonly to: number,
  ) {
    super(
      `${clusterDir} was written by PostgreSQL ${from}, but this is PostgreSQL ${to}. ` +
        `Start the server or run qal migrate, which upgrades it, or set PG_BINDIR to the folder with the programs of PostgreSQL ${from}.`,
    );
  }
}

const DISK_FULL =
  "The data directory's disk is full. Free up space, or set DATA_DIR to a directory on another disk.";

/** Messages from Node and PostgreSQL about a disk that cannot be written to. */
const DISK_FAULTS: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/ENOSPC|No space left on device/i, DISK_FULL],
  [
    /EROFS|Read-only file system/i,
    'The data directory is on a read-only file system. Make it writable, or set DATA_DIR to another directory.',
  ],
];

/** PostgreSQL writes its WAL in 16 MB files, and cannot recover without space for two of them. */
const MIN_FREE_BYTES = 2 * 16 * 2 ** 20;

/** Explains why the server was lost. If the disk is full, the server's own log does not show the reason. */
export async function lossError(dataDir: string, loss: Error): Promise<Error> {
  const { bavail, bsize } = await statfs(dataDir);
  return bavail * bsize < MIN_FREE_BYTES
    ? new EmbeddedServerError(`${loss.message} ${DISK_FULL}`, { cause: loss })
    : loss;
}

/** Returns undefined if the disk is not the reason. */
export function diskError(cause: unknown): EmbeddedServerError | undefined {
  const found = DISK_FAULTS.find(([pattern]) => pattern.test(String(cause)));
  return found && new EmbeddedServerError(found[1], { cause });
}

/** The message ends with the advice to use a different server, unless the disk is the reason. */
export function cannotRunHere(reason: string): EmbeddedServerError {
  const fromDisk = diskError(reason);
  if (fromDisk !== undefined) return fromDisk;
  return new EmbeddedServerError(`The embedded PostgreSQL cannot run here: ${reason} ${USE_OWN_SERVER}`);
}

/** Returns a code such as ENOENT or 57P03. Does not check the error's class, which differs between realms. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** For `catch`: returns undefined if the file or folder does not exist, and rethrows any other error. */
export function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
