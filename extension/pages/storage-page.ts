// How much space the datasets of each site take up, in total and by month, measured once a day.
import { type AdminPage, formatBytes, formatCount } from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import { readStored, type StoredMonth } from '../data/storage/stored-sizes';

const bytesOf = (months: readonly StoredMonth[]): string =>
  formatBytes(months.reduce((sum, { bytes }) => sum + bytes, 0));
const rowsOf = (months: readonly StoredMonth[]): string =>
  formatCount(months.reduce((sum, { rows }) => sum + rows, 0));

export const storagePage = ({ host }: Pick<Analytics, 'host'>): AdminPage => ({
  slug: 'storage',
  title: 'Storage',
  howTo: 'watch-it',
  group: null,
  position: 46,
  capability: 'manage_sites',
  async handle({ user }) {
    const stored = await readStored(host.database.read, user.sites);
    return {
      kind: 'page',
      view: 'extension/pages/views/storage',
      data: {
        total: bytesOf(stored),
        sites: [...Map.groupBy(stored, ({ trackingId }) => trackingId)].map(siteOf),
      },
    };
  },
});

/** Returns a row for each month, newest first, with a cell for each dataset that the site has. */
function siteOf([trackingId, stored]: readonly [string, readonly StoredMonth[]]) {
  const materials = [...Map.groupBy(stored, ({ material }) => material)];
  const months = [...new Set(stored.map(({ month }) => month))].toSorted().toReversed();
  return {
    trackingId,
    total: bytesOf(stored),
    datasets: materials.map(([name, sizes]) => ({ name, rows: rowsOf(sizes), bytes: bytesOf(sizes) })),
    months: months.map((month) => ({
      month: month.slice(0, 7),
      bytes: materials
        .map(([, sizes]) => sizes.filter((one) => one.month === month))
        .map((sizes) => (sizes.length === 0 ? '' : bytesOf(sizes))),
    })),
  };
}
