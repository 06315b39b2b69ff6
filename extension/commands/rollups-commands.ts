// qal rollups status | rebuild: what is kept counted of each site, so that most queries need not read its rows.
import type { Knex } from 'knex';
import { type CommandInput, JobFailed } from '../../host-shim/extension-api';
import { listRollups, type SiteRollups } from '../rollups/list-rollups';
import { rebuildSite } from '../rollups/rebuild-site';
import { ROLLUP_TABLES } from '../rollups/rollup-state';
import { refreshStatistics } from '../storage/planner';
import { type AnalyticsCommand, textOption } from './analytics-command';

const HEADER = ['SITE', 'COUNTS', 'DAYS', 'BLOCKS', 'MB', 'ROWS', 'BUILT'];
const SITE_OPTION = { flags: '--site <id>', about: 'tracking id of the site; without it all sites' };
/** Progress is told as a share. */
const ALL = 1;

export const rollupsStatusCommand: AnalyticsCommand = {
  name: 'rollups status',
  summary: 'show for each site whether it has counts, how large they are, and whether they fit its rows',
  args: [],
  options: [SITE_OPTION],
  async run({ host }, { options, table }) {
    const listed = await listedSites(host.database.write, textOption(options.site));
    table([HEADER, ...listed.map(lineOf)]);
    const wrong = listed.filter((site) => stateOf(site) === 'wrong').map(({ trackingId }) => trackingId);
    if (wrong.length > 0)
      throw new JobFailed(
        `The counts of ${wrong.join(', ')} do not fit the rows; make them anew with: qal rollups rebuild`,
      );
  },
};

export const rebuildRollupsCommand: AnalyticsCommand = {
  name: 'rollups rebuild',
  summary: 'compute the counts of one site or of all anew from the rows; queries are answered meanwhile',
  args: [],
  options: [SITE_OPTION],
  async run({ host: { database } }, input) {
    const { write } = database;
    let counted = 0;
    try {
      for (const { trackingId, rows } of await listedSites(write, textOption(input.options.site))) {
        await withProgress(input, trackingId, (goOn) => rebuildSite(write, trackingId, goOn));
        counted += rows;
        input.err(`${trackingId}: counted ${rows.toLocaleString('en')} rows.\n`);
      }
    } finally {
      // A site that stops the command leaves those before it done.
      const warning = await refreshStatistics(write, ROLLUP_TABLES, counted);
      if (warning !== undefined) input.err(`${warning}\n`);
    }
  },
};

async function listedSites(write: Knex, site: string | undefined): Promise<readonly SiteRollups[]> {
  const listed = await listRollups(write, site);
  if (site !== undefined && listed.length === 0) throw new JobFailed(`There is no site ${site}.`);
  return listed;
}

/** Shows the progress of one site's work, and stops it when the command is stopped. */
async function withProgress(
  { openProgress, signal }: CommandInput,
  site: string,
  work: (goOn: (share: number) => void) => Promise<boolean>,
): Promise<void> {
  const progress = openProgress(ALL);
  try {
    const done = await work((share) => {
      if (signal.aborted) throw new JobFailed(`Stopped; the counts of ${site} are as they were.`);
      progress.show(share, site);
    });
    if (!done) throw new JobFailed(`Rows of ${site} are being imported; start this again when that is done.`);
  } finally {
    progress.close();
  }
}

function stateOf({ builtAt, rows, countedRows }: SiteRollups): 'yes' | 'none' | 'wrong' {
  if (builtAt === null) return 'none';
  return rows === countedRows ? 'yes' : 'wrong';
}

function lineOf(site: SiteRollups): readonly string[] {
  return [
    site.trackingId,
    stateOf(site),
    String(site.days),
    String(site.blocks),
    (site.bytes / 1e6).toFixed(1),
    String(site.rows),
    site.builtAt?.toISOString().slice(0, 19).replace('T', ' ') ?? '',
  ];
}
