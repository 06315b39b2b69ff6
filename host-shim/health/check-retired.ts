import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listRetired } from '../../db/embedded/cluster';
import { type Clock, countOf, DAY_MS, type Finding } from '../extension-api';

interface RetiredOptions {
  readonly clock: Clock;
  readonly dataDir: string;
}

/** Long enough to find out whether the new version works. */
const DAYS_BEFORE_WARNING = 30;

/** Looks for databases that an upgrade of PostgreSQL has replaced. */
export async function checkRetired({ clock, dataDir }: RetiredOptions): Promise<Finding> {
  const names = await listRetired(dataDir);
  if (names.length === 0) return { state: 'fine', brief: 'removed' };
  const folders = names.map((name) => join(dataDir, name));
  const replacedAt = await Promise.all(folders.map(async (folder) => (await stat(folder)).mtimeMs));
  const days = Math.floor((clock().getTime() - Math.max(...replacedAt)) / DAY_MS);
  const versions = names.map((name) => name.replace('postgres-', 'PostgreSQL ')).join(' and ');
  const brief = `${versions}, replaced ${countOf(Math.max(0, days), 'day')} ago`;
  if (days < DAYS_BEFORE_WARNING) return { state: 'fine', brief };
  return {
    state: 'warning',
    brief,
    about: `The database from before the PostgreSQL upgrade is still in ${folders.join(' and ')}. It takes up space and is not used.`,
    remedy: { text: "Remove it on the server's machine.", command: `rm -r ${folders.join(' ')}` },
  };
}
