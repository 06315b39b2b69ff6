import type { Client, ClientBase } from 'pg';
import { type PreparedHost, utcText } from '../../../host-shim/extension-api';
import type { Manifest } from '../../../manifests/reader/manifest';
import { FIRST_MAPPED_ID } from '../rows/generated-ids';
import { erasedAt, erasureKey, nameDigests, rememberRows } from './erasure-digests';
import type { VisitorIds } from './find-visitor';
import { mentionsOf } from './mentions';
import { planVisitors } from './removal-plan';
import { type RowsByMaterial, removeRows } from './remove-rows';
import { eraseFromFiles, type FileFault } from './visitor-files';
import { addressesOf, erasePlace, visitorPlaces } from './visitor-places';

export interface Erased {
  readonly removed: RowsByMaterial;
  /** When the visitor was last erased before this erasure. */
  readonly erasedAt?: Date | undefined;
  /** The files that may still mention the visitor. */
  readonly faults: readonly FileFault[];
}

/** What is recorded about an erasure. */
interface Erasure {
  readonly id: string;
  readonly at: Date;
  /** Hashes of what identifies the visitor; computed if left out. */
  readonly names?: readonly string[];
}

/** When the visitor was last erased. Only someone who has the visitor's id can find out. */
export async function lastErasure(
  client: ClientBase,
  siteId: number,
  visitor: VisitorIds,
): Promise<Date | undefined> {
  // A generated number may have been reused for another visitor since.
  const given = { ...visitor, readerIds: visitor.readerIds.filter((id) => id < FIRST_MAPPED_ID) };
  const digests = nameDigests(await erasureKey(client, siteId), given);
  const times = [...(await erasedAt(client, siteId, new Set(digests))).values()];
  return times.length === 0 ? undefined : new Date(Math.max(...times) * 1000);
}

export const alreadyErased = (at: Date): string => `This visitor was already erased on ${utcText(at)}.`;

/**
 * Records erasures of visitors before their rows are removed. The ids of rows are stored with the latest erasure: if there
 * are several, the rows come from a backup that is older than all of them.
 */
export async function rememberErasures(
  client: ClientBase,
  siteId: number,
  erasures: readonly Erasure[],
  visitor: VisitorIds,
): Promise<void> {
  const key = await erasureKey(client, siteId);
  await client.query(
    `INSERT INTO analytics.erasure (site_id, erasure_id, erased_at)
     SELECT $1, * FROM unnest($2::uuid[], $3::timestamptz[])`,
    [siteId, erasures.map(({ id }) => id), erasures.map(({ at }) => at)],
  );
  const named = erasures.flatMap(({ id, names = nameDigests(key, visitor) }) =>
    names.map((digest, place) => ({ id, digest, number: place + 1 })),
  );
  await client.query(
    `INSERT INTO analytics.erased_digest (site_id, erasure_id, digest, name_no)
     SELECT $1, id, decode(digest, 'hex'), number FROM unnest($2::uuid[], $3::text[], $4::integer[]) u (id, digest, number)
     ON CONFLICT DO NOTHING`,
    [siteId, named.map(({ id }) => id), named.map(({ digest }) => digest), named.map(({ number }) => number)],
  );
  const latest = erasures.toSorted((one, other) => Number(other.at) - Number(one.at))[0];
  if (latest !== undefined) await rememberRows(client, siteId, key, latest.id, visitor);
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
