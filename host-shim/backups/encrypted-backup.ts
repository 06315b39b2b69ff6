// Encrypts backups with age (https://age-encryption.org) for the public keys in QAL_BACKUP_RECIPIENTS, and decrypts them.
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BackupError } from '../../db/backup/backup-format';
import { renameFinished } from '../../db/backup/write-backup';
import { syncPath } from '../../db/sync-to-disk';
import { createFolder, DAY_MS, messageOf } from '../extension-api';

const EXTENSION = '.age';
const FOLDER = 'plain-backups';

const isEncrypted = (file: string): boolean => file.endsWith(EXTENSION);

/** The folder in which backups are written and checked before they are encrypted, and into which they are decrypted. */
const plainFolder = (dataDir: string): string => join(dataDir, FOLDER);

/** Removes files that killed processes left more than a day ago. */
export async function removeOldPlain(dataDir: string, now: Date): Promise<void> {
  const folder = plainFolder(dataDir);
  if (!existsSync(folder)) return;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (now.getTime() - (await stat(path)).mtimeMs > DAY_MS) await removePlain(path);
  }
}

/** Removes a decrypted backup's folder. */
export const removePlain = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/** Returns the path for a backup that is not encrypted, in a new folder. */
export async function plainFile(dataDir: string, file: string): Promise<string> {
  const folder = join(plainFolder(dataDir), randomUUID());
  await createFolder(dirname(folder), 0o700);
  await mkdir(folder, { mode: 0o700 });
  return join(folder, basename(file, EXTENSION));
}

/** Writes `target` under a temporary name, and renames it once it is on disk. Returns its size. */
export async function encryptBackup(
  plain: string,
  target: string,
  recipients: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  const unfinished = `${target}.${randomUUID()}.part`;
  try {
    const encrypted = await encrypter.encrypt(Readable.toWeb(createReadStream(plain)));
    await pipeline(Readable.fromWeb(encrypted), createWriteStream(unfinished, { flags: 'wx', mode: 0o600 }), {
      signal,
    });
    await syncPath(unfinished);
    await renameFinished(unfinished, target);
    await syncPath(dirname(target));
    return (await stat(target)).size;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

export const encryptedName = (name: string): string => `${name}${EXTENSION}`;

interface DecryptOptions {
  readonly file: string;
  /** The file with the private key, as age-keygen writes it. */
  readonly identity: string | undefined;
  readonly dataDir: string;
  readonly signal: AbortSignal;
}

/** Runs `work` with the backup, decrypted if necessary. Throws a BackupError if it cannot be decrypted. */
export async function withPlainBackup<T>(
  { file, identity, dataDir, signal }: DecryptOptions,
  work: (plain: string) => Promise<T>,
): Promise<T> {
  if (!isEncrypted(file)) return work(file);
  if (identity === undefined)
    throw new BackupError(`${file} is encrypted. Specify the file with its private key: --identity key.txt`);
  const plain = await plainFile(dataDir, file);
  try {
    await decrypt(file, identity, plain, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      throw new BackupError(
        `${file} could not be decrypted with the key in ${identity}: ${messageOf(error)}`,
        { cause: error },
      );
    });
    return await work(plain);
  } finally {
    await removePlain(dirname(plain));
  }
}

async function decrypt(file: string, identity: string, plain: string, signal: AbortSignal): Promise<void> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  const keys = (await readFile(identity, 'utf8')).split('\n').map((line) => line.trim());
  for (const key of keys.filter((line) => line !== '' && !line.startsWith('#'))) decrypter.addIdentity(key);
  const decrypted = await decrypter.decrypt(Readable.toWeb(createReadStream(file)));
  await pipeline(Readable.fromWeb(decrypted), createWriteStream(plain, { flags: 'wx', mode: 0o600 }), {
    signal,
  });
}
