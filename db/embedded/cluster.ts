// The cluster directory. initdb creates it under a temporary name, so that an unfinished one is never used.
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Account, canEnter, giveTo } from './account';
import type { Binaries } from './binaries';
import { cannotRunHere, EmbeddedServerError, ignoreMissing, OlderClusterError } from './errors';
import { runProgram } from './program';

export const SUPERUSER = 'postgres';
const ABANDONED_MS = 10 * 60_000;

/** A data directory inside this one. Its cluster will replace the cluster of the outer directory. */
export const upgradeFolder = (dataDir: string): string => join(dataDir, 'upgrade');

export const retiredCluster = (clusterDir: string, major: number): string => `${clusterDir}-${major}`;

/** The names of the clusters in this data directory that upgrades have replaced. */
export async function listRetired(dataDir: string): Promise<string[]> {
  const names = await readdir(dataDir).catch(() => []);
  return names.filter((name) => /^postgres-\d+$/.test(name));
}

/** Returns undefined if there is no cluster. */
export async function versionOf(clusterDir: string): Promise<string | undefined> {
  const text = await readFile(join(clusterDir, 'PG_VERSION'), 'utf8').catch(ignoreMissing);
  return text?.trim();
}

/** Throws an EmbeddedServerError for a cluster from a different major version. */
export async function requireVersion(clusterDir: string, { major }: Binaries): Promise<void> {
  const version = await versionOf(clusterDir);
  if (version === undefined || version === String(major)) return;
  if (Number(version) < major) throw new OlderClusterError(clusterDir, Number(version), major);
  throw new EmbeddedServerError(
    `${clusterDir} was written by PostgreSQL ${version}, but this is PostgreSQL ${major}. ` +
      `Set PG_BINDIR to the folder with the programs of PostgreSQL ${version}, or restore a backup that was made with them ` +
      'into a new DATA_DIR.',
  );
}

/** Throws an EmbeddedServerError for a cluster from a different major version. */
export async function ensureCluster(
  clusterDir: string,
  binaries: Binaries,
  account: Account | null,
): Promise<void> {
  await removeUnfinished(clusterDir);
  if (!existsSync(join(clusterDir, 'PG_VERSION'))) {
    await refuseLeftovers(clusterDir);
    await createCluster(clusterDir, binaries, account);
  }
  await requireVersion(clusterDir, binaries);
  if (account !== null && (await stat(clusterDir)).uid !== account.uid) await giveTo(account, clusterDir);
}

/** Throws if an upgrade has renamed a cluster, because an empty cluster must not replace it. */
async function refuseLeftovers(clusterDir: string): Promise<void> {
  const dataDir = dirname(clusterDir);
  const leftovers = await listRetired(dataDir);
  if (existsSync(upgradeFolder(dataDir))) leftovers.push(basename(upgradeFolder(dataDir)));
  if (leftovers.length === 0) return;
  throw new EmbeddedServerError(
    `${clusterDir} is missing, but ${dataDir} has ${leftovers.join(' and ')}, from an upgrade of PostgreSQL. ` +
      'If an upgrade is still running, wait for it. Otherwise, rename the folder with your data to postgres; ' +
      'to begin with an empty database, set DATA_DIR to another directory.',
  );
}

async function createCluster(clusterDir: string, binaries: Binaries, account: Account | null): Promise<void> {
  if (existsSync(clusterDir) && (await readdir(clusterDir)).length > 0) {
    throw new EmbeddedServerError(
      `${clusterDir} is neither empty nor a PostgreSQL directory; remove it, or set DATA_DIR to another directory.`,
    );
  }
  const fresh = await mkdtemp(unfinishedPrefix(clusterDir));
  if (account !== null) await chown(fresh, account.uid, account.gid);
  await chmod(fresh, 0o700);
  const args = ['-D', await serverPath(fresh, account), '-U', SUPERUSER, '-A', 'trust', '--no-sync'];
  const outcome = await runProgram(
    join(binaries.directory, 'initdb'),
    [...args, '-E', 'UTF8', ...localeArguments(binaries.major), '--no-instructions'],
    account,
    fresh,
  );
  if (outcome.ok) await rename(fresh, clusterDir).catch(() => undefined);
  await rm(fresh, { recursive: true, force: true });
  // Another process may have created the cluster in the meantime; that cluster is used.
  if (!existsSync(join(clusterDir, 'PG_VERSION'))) {
    throw cannotRunHere(`initdb failed in ${dirname(clusterDir)} (${outcome.output.slice(-600)}).`);
  }
}

// Text must be sorted bytewise and case-folded beyond ASCII. The builtin provider does both on every system.
function localeArguments(major: number): readonly string[] {
  if (major < 17) return ['--locale=C.UTF-8'];
  return ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
}

// Removes what a killed initdb left behind. A recent folder may belong to an initdb that is still running.
async function removeUnfinished(clusterDir: string): Promise<void> {
  const parent = dirname(clusterDir);
  const prefix = basename(unfinishedPrefix(clusterDir));
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const found = await stat(join(parent, name)).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > ABANDONED_MS)
      await rm(join(parent, name), { recursive: true, force: true });
  }
}

function unfinishedPrefix(clusterDir: string): string {
  return `${clusterDir}.new-`;
}

/**
 * A path to the directory that the server's account can use. If the account cannot enter a parent folder (for example, /root), only
 * the working directory works, because the kernel does not resolve its path.
 */
export async function serverPath(directory: string, account: Account | null): Promise<string> {
  if (await canEnter(dirname(directory), account)) return directory;
  if (existsSync('/proc/self/cwd')) return '/proc/self/cwd';
  throw cannotRunHere(
    `the account ${account?.name} cannot enter ${dirname(directory)}; set DATA_DIR to a directory that it can enter.`,
  );
}
