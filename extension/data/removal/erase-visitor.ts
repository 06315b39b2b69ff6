import type { Client } from 'pg';
import type { PreparedHost } from '../../../host-shim/extension-api';
import type { Manifest } from '../../../manifests/reader/manifest';
import type { KnownVisitor } from './find-visitor';
import { mentionsOf } from './mentions';
import { planVisitors } from './removal-plan';
import { type RowsByMaterial, removeRows } from './remove-rows';
import { eraseFromFiles, type FileFault } from './visitor-files';
import { addressesOf, erasePlace, visitorPlaces } from './visitor-places';

export interface Erased {
  readonly removed: RowsByMaterial;
  /** The files that may still mention the visitor. */
  readonly faults: readonly FileFault[];
}

/** Erases the visitor from all places, in a transaction that holds the site's lock. Files cannot make it fail. */
export async function eraseVisitor(
  client: Client,
  { callerRecords, dataDir, log }: Pick<PreparedHost, 'callerRecords' | 'dataDir' | 'log'>,
  manifest: Manifest,
  siteId: number,
  visitor: KnownVisitor,
): Promise<Erased> {
  const mentions = mentionsOf(manifest, visitor);
  const { removed } = await removeRows(client, manifest, siteId, planVisitors(manifest, visitor));
  for (const place of visitorPlaces(visitor, mentions)) await erasePlace(client, siteId, place);
  await callerRecords.erase(client, addressesOf(visitor));
  const faults = await eraseFromFiles({ client, siteId, dataDir, mentions });
  for (const { path, error } of faults)
    log.warn({ path, err: error }, 'A visitor could not be erased from a file.');
  return { removed, faults };
}
