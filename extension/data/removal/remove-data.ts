// Removes a site, some of its days, or a visitor: each in one transaction, with a record of the removal.
import { randomUUID } from 'node:crypto';
import type { Client, ClientBase } from 'pg';
import { type Host, markOf } from '../../../host-shim/extension-api';
import type { Manifest } from '../../../manifests/reader/manifest';
import { followedImport } from '../import/run-record';
import { inTransaction } from '../storage/in-transaction';
import { lockSites, lockSiteWithTimeout } from '../storage/site-locks';
import { findSite, type Site } from '../storage/sites/list-sites';
import { raiseVersion } from '../storage/sites/save-site';
import { type Erased, lastErasure, rememberErasures, removeVisitor } from './erase-visitor';
import { noteErasures } from './erasures';
import { findVisitor, type Visitor, type VisitorIds } from './find-visitor';
import { planDays, planSite, planVisitors, type RemovalPlan, type RemovedDays } from './removal-plan';
import { recordRemoval } from './removal-record';
import { countRows, type RowsByMaterial, refreshChanged, removeRows } from './remove-rows';
import { removeFilesOfSite } from './visitor-files';

/** Thrown if nothing was removed; the message is a full sentence. */
export class RemovalError extends Error {
  override readonly name: string = 'RemovalError';
}

/** Thrown if the rows have changed since they were counted and confirmed. */
export class RowsChanged extends RemovalError {
  override readonly name = 'RowsChanged';

  constructor(readonly counted: Counted) {
    super('Rows were added or removed after they were counted, so nothing was removed.');
  }
}

interface RemovalOptions {
  readonly host: Pick<
    Host,
    'callerRecords' | 'clock' | 'database' | 'dataDir' | 'log' | 'openLedger' | 'withdrawSite'
  >;
  readonly manifest: Manifest;
  readonly trackingId: string;
  readonly login: string;
  /** For days: the mark of the rows that were counted and confirmed. */
  readonly mark?: string;
}

/** What to remove from a site. */
export type Removed =
  | ({ readonly kind: 'days' } & RemovedDays)
  | ({ readonly kind: 'visitor' } & Visitor)
  | { readonly kind: 'site' };

export interface Counted {
  readonly rows: RowsByMaterial;
  /** Identifies the state of the site's rows. While a log is followed, it stays the same until anything else changes the site. */
  readonly mark: string;
  /** When the visitor was last erased. */
  readonly erasedAt?: Date | undefined;
}

/** Counts the rows that `removeData` would remove. Throws a RemovalError if the site or visitor does not exist. */
export function countRemoval(options: RemovalOptions, removed: Removed): Promise<Counted> {
  return inTransaction(options.host.database.write, async (client) => {
    const { manifest, trackingId } = options;
    const { siteId, timezone } = await existingSite(client, trackingId);
    if (removed.kind === 'site') return countPlanned(client, siteId, planSite(manifest));
    if (removed.kind === 'days') return countPlanned(client, siteId, planDays(manifest, timezone, removed));
    const visitor = await findVisitorOf(client, siteId, removed);
    const counted = await countPlanned(client, siteId, planVisitors(manifest, visitor));
    return { ...counted, erasedAt: await lastErasure(client, siteId, visitor) };
  });
}

async function countPlanned(client: ClientBase, siteId: number, plan: RemovalPlan): Promise<Counted> {
  const followed = await followedImport(client, siteId);
  const rows = await countRows(client, siteId, plan);
  return { rows, mark: markOf(followed === undefined ? rows : { followed }) };
}

/**
 * Removes the rows, and returns how many. After removing a visitor, call `vacuumSite`. Throws a RemovalError during an
 * import into the site.
 */
export async function removeData(options: RemovalOptions, removed: Removed): Promise<Erased> {
  const { host, manifest, trackingId } = options;
  const { write } = host.database;
  const { siteId, erased, announce } = await inTransaction(write, async (client) => {
    if (removed.kind === 'site') await lockSites(client);
    if (!(await lockSiteWithTimeout(client, trackingId)))
      throw new RemovalError(
        `Rows of site ${trackingId} are being imported or removed; try again when that is done.`,
      );
    const site = await existingSite(client, trackingId);
    const { announce, ...gone } = await removeFrom(site, client, options, removed);
    const days =
      removed.kind === 'days'
        ? { firstDay: removed.from, lastDay: removed.to, material: removed.material ?? null }
        : {};
    const what = { kind: removed.kind, trackingId, removed: gone.removed, ...days };
    await recordRemoval(client, { at: host.clock(), login: options.login, ...what });
    return { siteId: site.siteId, erased: gone, announce };
  });
  await announce?.();
  if (removed.kind === 'visitor') await noteErasures(host);
  else await refreshChanged(write, manifest, siteId, erased.removed);
  return erased;
}

interface Gone extends Erased {
  /** Call it after the commit. */
  announce?(): Promise<void>;
}

async function removeFrom(
  { siteId, timezone }: Site,
  client: Client,
  { host, manifest, trackingId, mark }: RemovalOptions,
  request: Removed,
): Promise<Gone> {
  switch (request.kind) {
    case 'site': {
      const removed = await countRows(client, siteId, planSite(manifest));
      const faults = await removeFilesOfSite({ client, siteId, dataDir: host.dataDir });
      await removeSite(client, siteId, trackingId);
      return { removed, faults, announce: await host.withdrawSite(client, trackingId) };
    }
    case 'days': {
      const plan = planDays(manifest, timezone, request);
      if (mark !== undefined) {
        const counted = await countPlanned(client, siteId, plan);
        if (mark !== counted.mark) throw new RowsChanged(counted);
      }
      const { removed } = await removeRows(client, siteId, plan);
      return { removed, faults: [] };
    }
    case 'visitor': {
      const visitor = await findVisitorOf(client, siteId, request);
      const erasedAt = await lastErasure(client, siteId, visitor);
      await rememberErasures(client, siteId, [{ id: randomUUID(), at: host.clock() }], visitor);
      return { ...(await removeVisitor(client, host, manifest, siteId, visitor)), erasedAt };
    }
  }
}

/** Throws a RemovalError if the site does not exist. */
export async function existingSite(client: ClientBase, trackingId: string): Promise<Site> {
  const site = await findSite(client, trackingId);
  if (site === undefined)
    throw new RemovalError(`There is no site ${trackingId}; it may already have been removed.`);
  return site;
}

/** Throws a RemovalError for a generated number that no visitor has. Records may mention any other visitor, even one without rows. */
export async function findVisitorOf(
  client: ClientBase,
  siteId: number,
  visitor: Visitor,
): Promise<VisitorIds> {
  const found = await findVisitor(client, siteId, visitor);
  if (found === undefined) throw new RemovalError('There is no such visitor on this site.');
  return found;
}

/**
 * Removes the site with its goals, imports and dimensions, and the change records that this creates. If it
 * was the default, the first of the other sites becomes the default.
 */
async function removeSite(client: Client, siteId: number, trackingId: string): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    `SELECT c.oid::regclass::text AS table FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'site_id'
      WHERE c.relnamespace = 'analytics'::regnamespace AND c.relkind = 'r' AND c.oid <> 'analytics.site'::regclass
      ORDER BY c.oid = 'analytics.change'::regclass`,
  );
  for (const { table } of rows) await client.query(`DELETE FROM ${table} WHERE site_id = $1`, [siteId]);
  const { rows: gone } = await client.query<{ wasDefault: boolean }>(
    'DELETE FROM analytics.site WHERE site_id = $1 RETURNING is_default AS "wasDefault"',
    [siteId],
  );
  if (gone[0]?.wasDefault === true) {
    const { rows: next } = await client.query<{ siteId: number }>(
      `UPDATE analytics.site SET is_default = true
        WHERE site_id = (SELECT site_id FROM analytics.site ORDER BY name, tracking_id LIMIT 1)
       RETURNING site_id AS "siteId"`,
    );
    for (const { siteId } of next) await raiseVersion(client, siteId);
  }
  await client.query('DELETE FROM analytics.query_record WHERE tracking_id = $1', [trackingId]);
}
