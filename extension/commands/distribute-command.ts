import { countOf, JobFailed } from '../../host-shim/extension-api';
import { distributeTables, planDistribution } from '../data/storage/distribute/distribute-tables';
import type { PlacedTable, Placement } from '../data/storage/distribute/placements';
import type { AnalyticsCommand } from './analytics-command';

const PLACES: Readonly<Record<Placement, string>> = {
  'by site': 'distributed by site',
  everywhere: 'on every machine',
  coordinator: 'on the coordinator',
};

export const distributeCommand: AnalyticsCommand = {
  name: 'database distribute',
  summary: 'distribute the rows of all sites over the machines of a Citus cluster',
  options: [{ flags: '--check', about: 'only show the current and the planned placement of each table' }],
  keepsSchema: ({ check }) => check === true,
  async run({ host: { database }, manifest, workers }, { options, table, err }) {
    workers.check('all');
    const isCheck = options.check === true;
    const { obstacles, tables } = await (isCheck ? planDistribution : distributeTables)(database, manifest);
    if (obstacles.length > 0 && !isCheck)
      throw new JobFailed(`Nothing was distributed. ${obstacles.join(' ')}`);
    const moved = tables.filter(({ wanted, present }) => wanted !== present);
    if (isCheck) {
      table([
        ['TABLE', 'CURRENT', 'PLANNED'],
        ...tables.map(({ name, wanted, present }) => [name, PLACES[present], PLACES[wanted]]),
      ]);
      if (obstacles.length > 0) throw new JobFailed(obstacles.join('\n'));
    }
    if (moved.length === 0) err('Every table is where it should be.\n');
    else if (!isCheck)
      err(`Done: ${inWords(moved)}. Restart the servers; they will rebuild the columnar copy.\n`);
  },
};

function inWords(moved: readonly PlacedTable[]): string {
  const placements = [...new Set(moved.map(({ wanted }) => wanted))];
  return placements
    .map((one) => `${countOf(moved.filter(({ wanted }) => wanted === one).length, 'table')} ${PLACES[one]}`)
    .join(', ');
}
