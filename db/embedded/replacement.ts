// Replaces the cluster in a data directory with one from a newer major version. If the process is killed at any point, one of the
// two clusters is current.
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath, syncTree } from '../sync-to-disk';
import { retiredCluster, upgradeFolder, versionOf } from './cluster';
import { ignoreMissing } from './errors';
import { connectIfRunning, type Place } from './launch';
import { readPostmaster, stopServer } from './postmaster';

const markerIn = (folder: string): string => join(folder, 'replaces');
const clusterIn = (folder: string): string => join(folder, 'postgres');

/**
 * The new cluster is in the upgrade folder, and its server is stopped. Renaming the old cluster is the point of no return. It is
 * renamed while its server is still running and this process holds the lock exclusively, so that no other process can use or
 * start it.
 *
 *     postgres, upgrade/postgres, upgrade/replaces      the old cluster is current; the next upgrade starts over
 *     postgres-15, upgrade/postgres, upgrade/replaces   decided: the next process finishes the replacement
 *     postgres, postgres-15                             finished
 */
export async function replaceCluster(place: Place): Promise<void> {
  const { dataDir, clusterDir } = place;
  const folder = upgradeFolder(dataDir);
  const major = await versionOf(clusterDir);
  await syncTree(clusterIn(folder));
  await writeFile(markerIn(folder), `${major}\n`);
  await syncPath(markerIn(folder));
  await syncPath(folder);
  await syncPath(dataDir);
  await rename(clusterDir, retiredCluster(clusterDir, Number(major)));
  await finishReplacement(place);
}

/** Finishes a replacement that is past the point of no return. Several processes may do this at the same time. */
export async function finishReplacement(place: Place): Promise<void> {
  const { dataDir, clusterDir } = place;
  const folder = upgradeFolder(dataDir);
  const major = await readFile(markerIn(folder), 'utf8').catch(ignoreMissing);
  if (major === undefined) return;
  const isDecided = !existsSync(clusterDir);
  if (!isDecided && existsSync(clusterIn(folder))) return;
  if (isDecided) {
    await syncPath(dataDir);
    await stopRetired(place, retiredCluster(clusterDir, Number(major)));
    await rename(clusterIn(folder), clusterDir).catch(ignoreMissing);
  }
  await syncPath(dataDir);
  await rm(folder, { recursive: true, force: true });
}

/** Stops the old server if a killed process left it running. The server's folder has been renamed since it started. */
async function stopRetired(place: Place, clusterDir: string): Promise<void> {
  const directory = place.socket.shared ? place.socket.directory : clusterDir;
  const client = await connectIfRunning({ ...place, clusterDir, socket: { ...place.socket, directory } });
  if (client === undefined) return;
  const postmaster = await readPostmaster(clusterDir);
  await client.end();
  if (postmaster === undefined) return;
  // A fast shutdown would write to the folder's old name. Everything was written before the folder was renamed.
  await stopServer({ clusterDir, pid: postmaster.pid, child: undefined }, { isImmediate: true });
}
