// qal columns status | rebuild | drop: manages the column copy, with or without a running server.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JobFailed } from '../../host-shim/extension-api';
import { isInUse } from '../query/columns/column-file';
import { columnsFolder } from '../query/columns/columns-of-server';
import { REBUILD_REQUEST, readSavedStatus } from '../query/columns/columns-status';
import { ageOf, describeCopy, type PresentSite } from '../query/columns/copy-in-words';
import { removeColumnFolder } from '../query/columns/crash-marks';
import type { AnalyticsCommand } from './analytics-command';

interface NamedSite extends PresentSite {
  readonly trackingId: string;
  readonly number: number;
}

export const columnsStatusCommand: AnalyticsCommand = {
  name: 'columns status',
  summary: 'show for each site whether the column copy is up to date',
  args: [],
  options: [],
  async run({ host: { clock, database, dataDir } }, { table, err }) {
    const saved = await readSavedStatus(columnsFolder(dataDir));
    if (saved === undefined)
      throw new JobFailed('There is no column copy; a server creates it when it starts.');
    const present = await database.read.query<NamedSite>({
      text: `SELECT site_id AS "siteId", tracking_id AS "trackingId", token AS version, data_version AS number
               FROM analytics.site JOIN analytics.site_version USING (site_id) ORDER BY site_id`,
    });
    table([
      ['SITE', 'COPY', 'VERSION', 'OF', 'COPIED'],
      ...present.map(({ siteId, trackingId, version, number }) => {
        const copy = saved.sites.find((site) => site.siteId === siteId);
        const copiedAt = copy === undefined ? '' : new Date(copy.copiedAt * 1000).toISOString();
        return [
          trackingId,
          ageOf(copy?.version, version),
          String(copy?.number ?? ''),
          String(number),
          copiedAt,
        ];
      }),
    ]);
    for (const [title, text] of describeCopy(saved, present, clock().getTime() / 1000))
      err(`${title}: ${text}\n`);
  },
};

export const rebuildColumnsCommand: AnalyticsCommand = {
  name: 'columns rebuild',
  summary: 'discard the column copy; the server rebuilds it, and answers from rows in the meantime',
  args: [],
  options: [],
  async run({ host: { dataDir } }, { err }) {
    const by = await renewCopy(dataDir);
    err(
      by === 'server'
        ? 'The server is building a new copy.\n'
        : 'Removed. The server builds a new copy when it next starts.\n',
    );
  },
};

/** Discards the copy. A running server rebuilds it; if there is none, the next one to start does. */
export async function renewCopy(dataDir: string): Promise<'server' | 'next start'> {
  const folder = columnsFolder(dataDir);
  if (await isInUse(folder)) {
    await writeFile(join(folder, REBUILD_REQUEST), '');
    return 'server';
  }
  await removeColumnFolder(folder);
  return 'next start';
}

export const dropColumnsCommand: AnalyticsCommand = {
  name: 'columns drop',
  summary: 'remove the column copy; with QAL_COLUMNS=off, the server does not build another',
  args: [],
  options: [],
  async run({ host: { dataDir } }, { err }) {
    const folder = columnsFolder(dataDir);
    if (await isInUse(folder))
      throw new JobFailed(
        'A server is using the column copy. Stop it, or restart it with QAL_COLUMNS=off first.',
      );
    await removeColumnFolder(folder);
    err('Removed.\n');
  },
};
