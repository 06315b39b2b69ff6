// qal database distribute: divides the rows of the sites over the machines of an installed Citus.
import { JobFailed } from '../../host-shim/extension-api';
import { distributeTables, planDistribution } from '../data/storage/distribute/distribute-tables';
import type { Placement } from '../data/storage/distribute/placements';
import type { AnalyticsCommand } from './analytics-command';

const PLACES: Readonly<Record<Placement, string>> = {
  'by site': 'divided by site',
  everywhere: 'on every machine',
  coordinator: 'on the coordinator',
};

export const distributeCommand: AnalyticsCommand = {
  name: 'database distribute',
  summary: 'divide the rows of the sites over the machines of an installed Citus',
  args: [],
  options: [{ flags: '--check', about: 'only say how each table lies, and how it would' }],
  async run({ host: { database }, manifest }, { options, table, err }) {
    const isCheck = options.check === true;
    const { obstacles, tables } = await (isCheck ? planDistribution : distributeTables)(
      database.write,
      manifest,
    );
    if (obstacles.length > 0 && !isCheck) throw new JobFailed(`Nothing was divided. ${obstacles.join(' ')}`);
    const moved = tables.filter(({ wanted, present }) => wanted !== present);
    if (isCheck) {
      table([
        ['TABLE', 'LIES', 'WOULD LIE'],
        ...tables.map(({ name, wanted, present }) => [name, PLACES[present], PLACES[wanted]]),
      ]);
      for (const obstacle of obstacles) err(`${obstacle}\n`);
    }
    if (moved.length === 0) err('Every table lies where it should.\n');
    else if (!isCheck)
      err(
        `${moved.length} tables were divided by site or copied to every machine. Start the servers again; ` +
          'they fill the column copy anew.\n',
      );
  },
};
