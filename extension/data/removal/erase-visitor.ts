import type { Client, ClientBase } from 'pg';
import type { PreparedHost } from '../../../host-shim/extension-api';
import type { Manifest } from '../../../manifests/reader/manifest';
import { erasureKey, nameDigests, rowDigests } from './erasure-digests';
import type { VisitorIds } from './find-visitor';
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

/** The stored record of an erasure. */
interface Erasure {
  readonly id: string;
  readonly at: Date;
  /** Hashes of what identifies the visitor; computed if left out. */
  readonly names?: readonly string[];
}

/** Records an erasure in its transaction, before the visitor's rows are removed. */
export async function rememberErasure(
  client: ClientBase,
  siteId: number,
  visitor: VisitorIds,
  { id, at, names }: Erasure,
  /** The visitors erased in this transaction. */
  erased: readonly number[] = visitor.readerIds,
): Promise<void> {
  const key = await erasureKey(client, siteId);
  const rows = await rowDigests(client, siteId, key, visitor, erased);
  await client.query('INSERT INTO analytics.erasure (site_id, erasure_id, erased_at) VALUES ($1, $2, $3)', [
    siteId,
    id,
    at,
  ]);
  await client.query(
    `INSERT INTO analytics.erased_digest (site_id, erasure_id, digest, name_no)
     SELECT $1, $2, decode(d.digest, 'hex'), d.name_no FROM (
       SELECT * FROM unnest($3::text[]) WITH ORDINALITY UNION ALL SELECT unnest($4::text[]), NULL) d (digest, name_no)
     ON CONFLICT DO NOTHING`,
    [siteId, id, names ?? nameDigests(key, visitor), rows],
  );
}

/**
 * Removes the visitor from all places, in a transaction that holds the site's lock and has recorded the erasure. Errors in
 * files are returned instead of thrown.
 */
export async function removeVisitor(
  client: Client,
  { callerRecords, dataDir, log }: Pick<PreparedHost, 'callerRecords' | 'dataDir' | 'log'>,
  manifest: Manifest,
  siteId: number,
  visitor: VisitorIds,
): Promise<Erased> {
  const mentions = mentionsOf(manifest, visitor);
  const { removed } = await removeRows(client, siteId, planVisitors(manifest, visitor));
  for (const place of visitorPlaces(visitor, mentions)) await erasePlace(client, siteId, place);
  await callerRecords.erase(client, addressesOf(visitor));
  const faults = await eraseFromFiles({ client, siteId, dataDir, mentions });
  for (const { path, error } of faults)
    log.warn({ path, err: error }, 'A visitor could not be erased from a file.');
  return { removed, faults };
}
