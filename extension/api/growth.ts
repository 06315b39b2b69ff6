// How much is stored and how fast it grows, for the health checks.
import { type Finding, formatBytes, type HostDatabase, pageAddress } from '../../host-shim/extension-api';
import { readGrowth } from '../data/storage/stored-sizes';
import type { Columns } from '../query/columns/columns';

export async function checkStorage({ read }: Pick<HostDatabase, 'read'>): Promise<Finding> {
  const { bytes, bytesPerDay } = await readGrowth(read);
  const growth = bytesPerDay === undefined ? '' : `, ${formatBytes(Math.max(0, bytesPerDay))} more per day`;
  return {
    state: 'fine',
    brief: `${formatBytes(bytes)} of rows${growth}`,
    page: { address: pageAddress('storage'), title: 'Storage' },
  };
}

/**
 * How many bytes per day are added to the disk that holds DATA_DIR, assuming that dimension tables, indexes and the columnar copy
 * grow in proportion to the rows. Null if not known yet.
 */
export async function dailyGrowth(
  { read, write }: HostDatabase,
  columns: Columns | undefined,
  isDatabaseLocal: boolean,
): Promise<number | null> {
  const { bytes, bytesPerDay } = await readGrowth(read);
  if (bytesPerDay === undefined || bytes === 0) return null;
  const { rows }: { rows: { bytes: number }[] } = await write.raw(
    // Without the system catalogs, which do not grow with the rows.
    `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::float8 AS bytes
       FROM pg_class WHERE relnamespace = 'analytics'::regnamespace AND relkind = 'r'`,
  );
  const copied = (await columns?.status())?.bytes ?? 0;
  return (bytesPerDay * ((isDatabaseLocal ? (rows[0]?.bytes ?? 0) : 0) + copied)) / bytes;
}
