// qal columns status | rebuild | drop. These commands work with or without a running server.
import { JobFailed } from '../../host-shim/extension-api';
import type { SiteState } from '../language/types/resolved-query';
import { isInUse } from '../query/columns/column-file';
import { columnsFolder } from '../query/columns/columns-of-server';
import { ageOf, describeCopy, readSavedStatus } from '../query/columns/columns-status';
import { removeColumnFolder } from '../query/columns/crash-marks';
import { discardCopy } from '../query/columns/discard-copy';
import type { AnalyticsCommand } from './analytics-command';

export const columnsStatusCommand: AnalyticsCommand = {
  name: 'columns status',
  summary: 'show for each site whether the columnar copy is up to date',
  async run({ host: { clock, database, dataDir }, workers }, { table, err }) {
    const saved = await readSavedStatus(columnsFolder(dataDir));
    if (saved === undefined)
      throw new JobFailed('There is no columnar copy; a server creates it when it starts.');
    const present = await database.read.query<SiteState & { trackingId: string; number: number }>({
      text: `SELECT site_id AS "siteId", tracking_id AS "trackingId", token AS version, data_version AS number
               FROM analytics.site JOIN analytics.site_version USING (site_id)
              WHERE $1::int[] IS NULL OR site_version.site_id = ANY($1) ORDER BY site_id`,
      values: [workers.reachable],
    });
    table([
      ['SITE', 'COPY', 'VERSION', 'LATEST', 'COPIED'],
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
      ...workers.away.flatMap(({ sites }) => sites.map((site) => [site, 'unknown', '', '', ''])),
    ]);
    for (const [title, text] of describeCopy(saved, present, clock().getTime() / 1000, workers.away))
      err(`${title}: ${text}\n`);
  },
};

export const rebuildColumnsCommand: AnalyticsCommand = {
  name: 'columns rebuild',
  summary: 'discard the columnar copy; the server rebuilds it, and answers queries from rows in the meantime',
  async run({ host: { dataDir } }, { err }) {
    const isRunning = await discardCopy(dataDir);
    err(
      isRunning
        ? 'The server is building a new copy.\n'
        : 'Removed. The server will build a new copy the next time it starts.\n',
    );
  },
};

export const dropColumnsCommand: AnalyticsCommand = {
  name: 'columns drop',
  summary: 'remove the columnar copy; with QAL_COLUMNS=off, the server does not build another',
  async run({ host: { dataDir } }, { err }) {
    const folder = columnsFolder(dataDir);
    if (await isInUse(folder))
      throw new JobFailed(
        'A server is using the columnar copy. First stop the server, or restart it with QAL_COLUMNS=off.',
      );
    await removeColumnFolder(folder);
    err('Removed.\n');
  },
};
