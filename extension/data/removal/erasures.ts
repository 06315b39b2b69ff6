// Records who was erased: in the database, and in a ledger outside it. If an older backup is restored, the erasures that it lacks
// are repeated before any request is answered.
import type { ClientBase } from 'pg';
import { z } from 'zod';
import type { PreparedHost } from '../../../host-shim/extension-api';
import { loadManifest } from '../../../manifests/reader/manifest';
import { parsedJson } from '../../language/types/json';
import { inTransaction } from '../storage/in-transaction';
import { lockSiteData } from '../storage/site-locks';
import { findSite } from '../storage/sites/list-sites';
import { vacuumSite } from '../storage/tables-of-site';
import { rememberErasures, removeVisitor } from './erase-visitor';
import { erasureKey, findByDigests } from './erasure-digests';
import { findVisitors } from './find-visitor';
import { recordRemoval } from './removal-record';
import type { RowsByMaterial } from './remove-rows';

export const ERASURES = 'erasures.ndjson';

const erasureSchema = z.object({
  id: z.uuid(),
  site: z.string(),
  at: z.iso.datetime(),
  names: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
});
type ListedErasure = z.infer<typeof erasureSchema>;

type Tools = Pick<PreparedHost, 'callerRecords' | 'clock' | 'database' | 'dataDir' | 'log' | 'openLedger'>;

/** Repeats erasures that only the ledger has, and adds the database's erasures to it. Returns whether a visitor was erased. */
export async function keepErasures(host: Tools): Promise<boolean> {
  let isErased = false;
  for (const [site, erasures] of Map.groupBy(await missingErasures(host), (one) => one.site)) {
    const removed = await repeatErasures(host, site, erasures);
    if (removed === undefined) continue;
    isErased = true;
    host.log.warn(
      { site, erasures: erasures.length, removed },
      'The restored database contained visitors who were erased before. The erasures were repeated.',
    );
    await vacuumSite(host.database.write, site);
  }
  await noteErasures(host);
  return isErased;
}

/**
 * Adds the erasures in the database to the ledger. If the backup folder is missing, the server tries again in
 * an hour.
 */
export async function noteErasures(host: Tools): Promise<void> {
  const stored = await storedIds(host);
  if (stored.size === 0) return;
  const ledger = host.openLedger(ERASURES);
  // These are added again, because one of the ledger's copies may lack them.
  const { lines: noted } = await ledger.read((line) => stored.has(idIn(line)));
  for (const line of noted) stored.delete(idIn(line));
  for (const err of await ledger.add([...noted, ...(await linesOf(host, [...stored]))]))
    host.log.warn({ err }, 'A list of erased visitors could not be written.');
}

/** The erasures that only the ledger has. */
async function missingErasures(host: Tools): Promise<readonly ListedErasure[]> {
  const stored = await storedIds(host);
  const isOther = (line: string): boolean => !stored.has(idIn(line));
  const { lines: others, faults } = await host.openLedger(ERASURES).read(isOther);
  for (const err of faults) host.log.warn({ err }, 'A list of erased visitors could not be read.');
  const missing = others
    .map((line) => erasureSchema.safeParse(parsedJson(line)).data)
    .filter((one) => one !== undefined);
  if (missing.length < others.length)
    host.log.warn(
      { lines: others.length - missing.length },
      `${ERASURES} has lines that are not erasures; they are ignored.`,
    );
  return missing;
}

/** The id in a complete line that this program wrote. Parsing hundreds of thousands of lines would delay every command. */
const idIn = (line: string): string => /^\{"id":"([0-9a-f-]{36})",.*\]\}$/.exec(line)?.[1] ?? '';

async function storedIds({ database }: Tools): Promise<Set<string>> {
  const { rows }: { rows: { id: string }[] } = await database.write.raw(
    'SELECT erasure_id AS id FROM analytics.erasure',
  );
  return new Set(rows.map(({ id }) => id));
}

/** The ledger's lines for stored erasures. */
async function linesOf({ database }: Tools, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const { rows }: { rows: (Omit<ListedErasure, 'at'> & { at: Date })[] } = await database.write.raw(
    `SELECT e.erasure_id AS id, s.tracking_id AS site, e.erased_at AS at, n.names
       FROM analytics.erasure e JOIN analytics.site s USING (site_id) JOIN (
            SELECT site_id, erasure_id, array_agg(encode(digest, 'hex') ORDER BY name_no) AS names
              FROM analytics.erased_digest WHERE name_no IS NOT NULL AND erasure_id = ANY(?::uuid[])
             GROUP BY 1, 2) n USING (site_id, erasure_id)
      ORDER BY e.erased_at`,
    [[...ids]],
  );
  return rows.map(({ id, site, at, names }) => JSON.stringify({ id, site, at: at.toISOString(), names }));
}

/**
 * Repeats the erasures of a site in one transaction, so that the hashes of all its visitors are computed once. Returns the
 * removed rows; undefined if the database lacks the site, or has none of the visitors.
 */
function repeatErasures(
  host: Tools,
  site: string,
  erasures: readonly ListedErasure[],
): Promise<RowsByMaterial | undefined> {
  return inTransaction(host.database.write, async (client) => {
    await lockSiteData(client, site);
    const { siteId } = (await findSite(client, site)) ?? {};
    if (siteId === undefined) return undefined;
    const missing = await withoutStored(client, erasures);
    if (missing.length === 0) return undefined;
    const digests = missing.flatMap(({ names }) => names);
    const found = await findByDigests(client, siteId, await erasureKey(client, siteId), digests);
    const all = await findVisitors(
      client,
      siteId,
      found.map(({ kind, text }) => (kind === 'name' ? { originalId: text } : { readerId: Number(text) })),
    );
    const repeated = missing.map(({ id, at, names }) => ({ id, at: new Date(at), names }));
    await rememberErasures(client, siteId, repeated, all);
    if (all.readerIds.length + all.names.length === 0) return undefined;
    const { removed } = await removeVisitor(client, host, loadManifest(), siteId, all);
    const what = { kind: 'visitor', trackingId: site, removed } as const;
    await recordRemoval(client, { at: host.clock(), login: 'server', ...what });
    return removed;
  });
}

/** The erasures that no other server has repeated in the meantime. */
async function withoutStored(
  client: ClientBase,
  erasures: readonly ListedErasure[],
): Promise<readonly ListedErasure[]> {
  const { rows } = await client.query<{ id: string }>(
    'SELECT erasure_id AS id FROM analytics.erasure WHERE erasure_id = ANY($1::uuid[])',
    [erasures.map(({ id }) => id)],
  );
  const stored = new Set(rows.map(({ id }) => id));
  // The same erasure may be written differently in copies of the ledger.
  const byId = new Map(erasures.map((one) => [one.id, one]));
  return [...byId.values()].filter(({ id }) => !stored.has(id));
}
