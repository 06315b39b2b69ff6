// The account that runs the server. PostgreSQL does not run as root, so root uses an unprivileged account.
import { chown, lstat, readdir, readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { cannotRunHere, EmbeddedServerError } from './errors';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const CANDIDATES = ['postgres', '_postgres', 'nobody'];

/** Returns null for the current account. Throws an EmbeddedServerError if there is no suitable account. */
export async function serverAccount(clusterDir: string): Promise<Account | null> {
  const ownUid = process.getuid?.();
  if (ownUid === undefined) throw cannotRunHere(`there is no build for ${process.platform}.`);
  const owner = await stat(clusterDir).catch(() => undefined);
  if (ownUid !== 0) {
    requirePasswdEntry(ownUid);
    if (owner !== undefined && owner.uid !== ownUid) {
      throw new EmbeddedServerError(
        `The data directory ${clusterDir} belongs to the account with uid ${owner.uid}, but this program runs as uid ${ownUid}. ` +
          'Run it as that account (or as root), or set DATA_DIR to another directory.',
      );
    }
    return null;
  }
  if (owner !== undefined && owner.uid !== 0) {
    return { name: `uid ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  }
  return unprivilegedAccount((await stat(dirname(clusterDir))).uid);
}

// initdb looks up its account by uid; its own error for a missing account is not helpful.
function requirePasswdEntry(uid: number): void {
  try {
    userInfo();
  } catch {
    throw cannotRunHere(
      `the account with uid ${uid} has no entry in /etc/passwd; add one, or run as another account.`,
    );
  }
}

/** Prefers the owner of the data directory, who may use the cluster later. */
async function unprivilegedAccount(owner: number): Promise<Account> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const ofOwner = lines.find(([, , uid]) => owner !== 0 && uid === String(owner));
  const others = CANDIDATES.map((name) => lines.find((fields) => fields[0] === name));
  for (const [name, , uid, gid] of [ofOwner, ...others].filter((entry) => entry !== undefined))
    if (name !== undefined && uid !== undefined && gid !== undefined)
      return { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
  throw cannotRunHere(
    'PostgreSQL does not run as root, and there is no account named "postgres" or "nobody".',
  );
}

/** Whether the account may enter every folder on the path. Always true for null, the current account. */
export async function canEnter(directory: string, account: Account | null): Promise<boolean> {
  if (account === null) return true;
  for (let current = directory; ; current = dirname(current)) {
    const { mode, uid, gid } = await stat(current);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (current === dirname(current)) return true;
  }
}

export async function giveTo(account: Account, path: string): Promise<void> {
  const entry = await lstat(path);
  if (entry.isSymbolicLink()) return;
  await chown(path, account.uid, account.gid);
  if (!entry.isDirectory()) return;
  for (const name of await readdir(path)) await giveTo(account, join(path, name));
}
