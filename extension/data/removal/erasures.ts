// Remembers who was erased: in the database, and in a ledger that outlives it. If an older backup is restored, the erasures that it lacks
// are repeated before any request is answered.
import type { ClientBase } from 'pg';
import { z } from 'zod';
import type { PreparedHost } from '../../../host-shim/extension-api';
import { loadManifest } from '../../../manifests/reader/manifest';
import { parsedJson } from '../../language/types/json';
import { inTransaction } from '../storage/in-transaction';
import { lockSiteData } from '../storage/site-locks';
import { vacuumSite } from '../storage/tables-of-site';
import { eraseVisitor, rememberErasure } from './erase-visitor';
import { erasureKey, findByDigests } from './erasure-digests';
import { findVisitor, type KnownVisitor } from './find-visitor';
import { recordRemoval } from './removal-record';
import type { RowsByMaterial } from './remove-rows';

export const ERASURES = 'erasures.ndjson';

const erasureSchema = z.object({
  id: z.uuid(),
  site: z.string(),
  at: z.iso.datetime(),
  names: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
});
type Erasure = z.infer<typeof erasureSchema>;

type Tools = Pick<PreparedHost, 'callerRecords' | 'clock' | 'database' | 'dataDir' | 'log' | 'openLedger'>;

/** Repeats the erasures that only the ledger has, and adds the others to it. Returns whether anybody was erased. */
export async function keepErasures(host: Tools): Promise<boolean> {
  const erasedFrom = new Set<string>();
  for (const erasure of await missingErasures(host)) {
    const removed = await repeatErasure(host, erasure);
    if (removed === undefined) continue;
    erasedFrom.add(erasure.site);
    host.log.warn(
      { site: erasure.site, erasedAt: erasure.at, removed },
      'The restored database contained a visitor who was erased before. The erasure was repeated.',
    );
  }
  for (const trackingId of erasedFrom) await vacuumSite(host.database.write, trackingId);
  await noteErasures(host);
  return erasedFrom.size > 0;
}

/**
 * Adds the erasures in the database to the ledger. If the backup folder is missing, the server tries again in
 * an hour.
 */
export async function noteErasures(host: Tools): Promise<void> {
  const stored = await storedIds(host);
  if (stored.size === 0) return;
  const ledger = host.openLedger(ERASURES);
  const { lines } = await ledger.read();
  // One of the copies may lack them.
  const noted = lines.filter((line) => stored.has(idIn(line)));
  for (const line of noted) stored.delete(idIn(line));
  for (const err of await ledger.add([...noted, ...(await linesOf(host, [...stored]))]))
    host.log.warn({ err }, 'A list of erased visitors could not be written.');
}

/** The erasures that only the ledger has. */
async function missingErasures(host: Tools): Promise<readonly Erasure[]> {
  const { lines, faults } = await host.openLedger(ERASURES).read();
  for (const err of faults) host.log.warn({ err }, 'A list of erased visitors could not be read.');
  const stored = await storedIds(host);
  const others = lines.filter((line) => !stored.has(idIn(line)));
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

/** The lines of stored erasures. */
async function linesOf({ database }: Tools, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const { rows }: { rows: (Omit<Erasure, 'at'> & { at: Date })[] } = await database.write.raw(
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

/** Returns the removed rows; undefined if the database does not have the visitor. */
function repeatErasure(host: Tools, { id, site, at, names }: Erasure): Promise<RowsByMaterial | undefined> {
  return inTransaction(host.database.write, async (client) => {
    await lockSiteData(client, [site]);
    const { rows } = await client.query<{ siteId: number }>(
      `SELECT site_id AS "siteId" FROM analytics.site s WHERE tracking_id = $1
          AND NOT EXISTS (SELECT FROM analytics.erasure e WHERE e.site_id = s.site_id AND e.erasure_id = $2)`,
      [site, id],
    );
    if (rows[0] === undefined) return undefined;
    const { siteId } = rows[0];
    const visitor = await findErased(client, siteId, names);
    const erasure = { id, at: new Date(at), names };
    if (visitor.readerIds.length + visitor.names.length === 0) {
      await rememberErasure(client, siteId, visitor, erasure);
      return undefined;
    }
    const { removed } = await eraseVisitor(client, host, loadManifest(), siteId, visitor, erasure);
    await recordRemoval(client, {
      at: host.clock(),
      login: 'server',
      kind: 'visitor',
      trackingId: site,
      removed,
    });
    return removed;
  });
}

/** A site's visitors with one of these hashes, combined into one. */
async function findErased(
  client: ClientBase,
  siteId: number,
  digests: readonly string[],
): Promise<KnownVisitor> {
  const found = await findByDigests(client, siteId, await erasureKey(client, siteId), digests);
  const known: KnownVisitor[] = [];
  for (const { kind, text } of found) {
    const asked = kind === 'name' ? { originalId: text } : { readerId: Number(text) };
    const visitor = await findVisitor(client, siteId, asked);
    if (visitor !== undefined) known.push(visitor);
  }
  const texts = found.flatMap(({ kind, text }) => (kind === 'name' ? [text] : []));
  return {
    readerIds: [...new Set(known.flatMap(({ readerIds }) => readerIds))],
    names: [...new Set([...texts, ...known.flatMap((one) => one.names)])],
    earlierNames: [...new Set(known.flatMap(({ earlierNames }) => earlierNames))],
  };
}
