// Undoes an import in one transaction, as if the file had never been imported. The rows that it added are removed, and
// replaced values are restored; everything derived from rows is computed again. To redo it, import the file again.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import type { Manifest } from '../../../manifests/reader/manifest';
import { countNoted, note, noted } from '../change/noted';
import type { RecordedImport } from '../import/import-record';
import { isFound, isStray } from '../import/on-view/find-views';
import { recordedRows } from '../import/record-sets';
import type { Bind } from '../storage/bindings';
import { inTransaction } from '../storage/in-transaction';
import { lockSiteWithTimeout } from '../storage/site-locks';
import { rowIdOf, type StoredMaterial, storedMaterial, storedMaterials } from '../storage/stored-materials';
import type { RemovalPlan } from './removal-plan';
import { recordRemoval, totalOf } from './removal-record';
import { countRows, refreshChanged, removeRows } from './remove-rows';
import { changedRows } from './restore-rows';
import { blockingImport, UNDONE_ROW } from './undo-order';
import { forgetArrivals, isOnlyOf, placeAfterUndo } from './waiting-rows';

/**
 * Why an import cannot be undone. `unknown`: it does not exist; `busy`: its site is locked; `not-done`: it did not finish, or was
 * already undone; `forgotten`: the values that it replaced are no longer stored; `later`: a later import must be undone first.
 */
type UndoRefusal = 'unknown' | 'busy' | 'not-done' | 'forgotten' | 'later';

/** Thrown if nothing was undone; the message is a full sentence. */
export class UndoError extends Error {
  override readonly name = 'UndoError';
  constructor(
    readonly reason: UndoRefusal,
    message: string,
    /** The import to undo before this one, if the reason is `later`. */
    readonly first?: number,
  ) {
    super(message);
  }
}

interface UndoOptions {
  readonly write: Knex;
  readonly manifest: Manifest;
  readonly importId: number;
  /** `local` for a command. */
  readonly login: string;
  readonly clock: () => Date;
}

export type UndoCounts = Awaited<ReturnType<typeof countUndo>>;
export type UndoReport = Awaited<ReturnType<typeof undoImport>>;

/** Counts what `undoImport` would change. Throws an UndoError if `undoImport` would. */
export const countUndo = (options: Pick<UndoOptions, 'write' | 'manifest' | 'importId'>) =>
  inTransaction(
    options.write,
    async (client) => {
      const { importId, manifest } = options;
      const run = await findRun(client, importId);
      return countUndone(client, manifest, await prepareUndo(client, manifest, run));
    },
    { end: 'ROLLBACK' },
  );

/** Undoes an import. Throws an UndoError, and leaves the data unchanged, if the import cannot be undone. */
export async function undoImport(options: UndoOptions) {
  const { write, manifest, importId, login, clock } = options;
  const { siteId, report } = await inTransaction(write, async (client) => {
    const { siteId, trackingId } = await findRun(client, importId);
    if (!(await lockSiteWithTimeout(client, trackingId)))
      throw new UndoError(
        'busy',
        `Rows of site ${trackingId} are being imported or removed; try again when that is done.`,
      );
    const undo = await prepareUndo(client, manifest, await findRun(client, importId));
    const { gone, material } = undo;
    await forgetArrivals(client, siteId, importId);
    const { removed, restored } = await removeRows(client, siteId, planUndo(manifest, undo));
    if (restored > 0) await placeAfterUndo({ client, write, manifest, siteId }, importId);
    const at = clock();
    await client.query(
      `UPDATE analytics.import_run SET status = 'undone', can_undo = false, undone_at = $2, undone_by = $3 WHERE import_id = $1`,
      [importId, at, login],
    );
    const undone = { importId, trackingId, material: material.name, removed, restored };
    await recordRemoval(client, { at, login, kind: 'undo', ...undone });
    return { siteId, report: { ...undone, gone } };
  });
  const { material, removed, restored } = report;
  await refreshChanged(write, manifest, siteId, {
    ...removed,
    [material]: (removed[material] ?? 0) + restored,
  });
  return report;
}

type Run = Pick<
  RecordedImport,
  'importId' | 'trackingId' | 'status' | 'added' | 'updated' | 'canUndo' | 'undoneAt' | 'undoneBy'
> & { readonly siteId: number; readonly name: string };

/** An undo that is possible. Its rows are noted as UNDONE_ROW. */
interface PreparedUndo extends Run {
  readonly material: StoredMaterial;
  /** Rows that the import added and that have been removed since; they are not restored. */
  readonly gone: number;
  readonly removes: number;
}

async function findRun(client: ClientBase, importId: number): Promise<Run> {
  const { rows } = await client.query<Run>(
    `SELECT import_id AS "importId", site_id AS "siteId", tracking_id AS "trackingId", material AS name, status,
            rows_added::float8 AS added, rows_updated::float8 AS updated, can_undo AS "canUndo",
            undone_at AS "undoneAt", undone_by AS "undoneBy"
       FROM analytics.import_run JOIN analytics.site USING (site_id) WHERE import_id = $1`,
    [importId],
  );
  if (rows[0] === undefined) throw new UndoError('unknown', `There is no import ${importId}.`);
  return rows[0];
}

async function prepareUndo(client: ClientBase, manifest: Manifest, run: Run): Promise<PreparedUndo> {
  checkStatus(run);
  const { importId, siteId, name, added } = run;
  const material = storedMaterial(manifest, name);
  const { table } = material;
  const noteUndone = (rows: string): Promise<number> =>
    note(
      client,
      UNDONE_ROW,
      `WITH found AS MATERIALIZED (${rows})
       SELECT f.row_id FROM found f JOIN analytics.${table} t ON t.site_id = $1 AND t.${rowIdOf(material)} = f.row_id`,
      [siteId, importId],
    );
  const stillAdded = await noteUndone(recordedRows("kind = 'added'"));
  const removes = stillAdded + (await noteUndone(VOID_ROWS));
  await countNoted(client);
  const first = await blockingImport(client, importId, siteId, table);
  if (first !== undefined)
    throw new UndoError(
      'later',
      `Import ${first} came later and builds on rows of import ${importId}: it contains them again, changed them, or added to them. Undo import ${first} first.`,
      first,
    );
  // Rows that waited were not counted when they were imported.
  return { ...run, material, removes, gone: Math.max(0, added - stillAdded) };
}

/** SQL: the rows that import `$2` of site `$1` changed, and that must not get their earlier values back. */
const VOID_ROWS = `SELECT row_id FROM analytics.import_record WHERE site_id = $1 AND import_id = $2 AND kind = 'void'`;

function checkStatus({ importId, status, added, updated, canUndo, undoneAt, undoneBy }: Run): void {
  if (status === 'undone')
    throw new UndoError(
      'not-done',
      `Import ${importId} was already undone on ${undoneAt?.toISOString()} by ${undoneBy}.`,
    );
  if (status === 'running' || status === 'failed')
    throw new UndoError(
      'not-done',
      `Import ${importId} did not finish: nothing from it is stored, so there is nothing to undo.`,
    );
  if (!canUndo)
    throw new UndoError(
      'forgotten',
      `Import ${importId} can no longer be undone: replaced values are kept only for the newest imports into a site ` +
        `(QAL_UNDOABLE_IMPORTS). Rows that it added: ${added}; rows that it changed: ${updated}. Import the correct rows again, or remove days with qal data delete.`,
    );
}

async function countUndone(client: ClientBase, manifest: Manifest, undo: PreparedUndo) {
  const { importId, siteId, trackingId, material, gone, removes } = undo;
  const replaced = await client.query<{ n: number }>(
    `SELECT count(*)::float8 AS n FROM (${changedRows(material)}) r`,
    [siteId, importId],
  );
  const children = childrenOf(manifest, material).map((child) => ({
    material: child,
    where: () => `t.pv_id IN (${noted(UNDONE_ROW)})`,
  }));
  const attached = totalOf(await countRows(client, siteId, { parts: children }));
  const restored = replaced.rows[0]?.n ?? 0;
  const waiting = (bind: Bind) => isOnlyOf(bind(importId));
  const removed = removes + totalOf(await countRows(client, siteId, { parts: [], waiting }));
  return {
    importId,
    trackingId,
    material: material.name,
    gone,
    /** Rows of the import's material. */
    removed,
    /** Rows whose earlier values are restored. */
    restored,
    /** Clicks and events on the removed page views, which are removed or move to an earlier view of their visit or visitor. */
    attached,
  };
}

const childrenOf = (manifest: Manifest, { name }: StoredMaterial): readonly StoredMaterial[] =>
  storedMaterials(manifest).filter(({ parent }) => parent?.material === name);

/**
 * Removes what the import added and restores what it changed. Clicks and events whose view was looked up rather than given may
 * move to another view.
 */
function planUndo(manifest: Manifest, { importId, material }: PreparedUndo): RemovalPlan {
  const children = childrenOf(manifest, material);
  const undone = noted(UNDONE_ROW);
  return {
    parts: [
      ...children.map((child) => ({
        material: child,
        where: () => `t.pv_id IN (${undone}) AND NOT ${isFound('t')}`,
      })),
      { material, where: () => `t.${rowIdOf(material)} IN (${undone})` },
    ],
    waiting: (bind) => isOnlyOf(bind(importId)),
    restored: { importId, material },
    strays: (since) =>
      children.map((child) => ({
        material: child,
        where: (bind) => `t.at >= to_timestamp(${bind(since)}::float8) AND ${isStray('t')}`,
      })),
  };
}
