import type { Knex } from 'knex';
import type { Client } from 'pg';
import type { PreparedHost } from '../../../host-shim/extension-api';
import type { Manifest } from '../../../manifests/reader/manifest';
import type { KnownVisitor } from './find-visitor';
import { planVisitors } from './removal-plan';
import { type RowsByMaterial, removeRows } from './remove-rows';
import { eraseFromFiles } from './visitor-files';
import { addressesOf, erasePlace, visitorPlaces } from './visitor-places';

/** Erases the visitor from all places, in a transaction that holds the lock of the site. Returns the removed rows. */
export async function eraseVisitor(
  client: Client,
  { callerRecords, dataDir }: Pick<PreparedHost, 'callerRecords' | 'dataDir'>,
  manifest: Manifest,
  siteId: number,
  visitor: KnownVisitor,
): Promise<RowsByMaterial> {
  const { removed } = await removeRows(client, manifest, siteId, planVisitors(manifest, visitor));
  for (const place of visitorPlaces(visitor)) await erasePlace(client, siteId, place);
  await callerRecords.erase(client, addressesOf(visitor));
  await eraseFromFiles({ client, siteId, dataDir, visitor });
  return removed;
}

/** Lets PostgreSQL overwrite what was erased, however few rows there were. */
export async function vacuumTables(write: Knex): Promise<void> {
  const { rows }: { rows: { name: string }[] } = await write.raw(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'analytics'::regnamespace AND relkind = 'r' ORDER BY 1`,
  );
  for (const { name } of rows) await write.raw('VACUUM analytics.??', [name]);
}
