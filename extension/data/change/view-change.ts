// The page views that one import adds or changes. New ones are staged in pieces. For each piece, the derived values of all
// affected visits are computed, and every new row is written once, in chronological order.
import type { Client } from 'pg';
import { isGenerated, NAMED_BY } from '../rows/generated-ids';
import { placesOf, type RowBatch, valueAt } from '../rows/row-batch';
import type { TableLayout } from '../rows/table-layout';
import type { ConversionUpdater } from '../storage/goals/conversions';
import { ANY_SITE } from '../storage/planner';
import { fileOrder } from './file-order';
import { addRows, emptyPiece, overlaps } from './piece';
import { openStagedViews } from './staged-views';
import { FACTS, factFields, factLists, factsOf, HAS_FACTS, visitorOf } from './view-facts';

export type ViewChange = Awaited<ReturnType<typeof openViewChange>>;

interface ViewChangeParts {
  readonly limits: { readonly pieceRows: number };
  /** Includes the field `FIRST_AT`. */
  readonly layout: TableLayout;
  /** Whether the site has no views. */
  readonly isEmpty: boolean;
  /** Set if the import can be undone. */
  readonly importId: number | undefined;
  readonly conversions: ConversionUpdater;
  /** Runs once a piece is staged. */
  followStaged(): Promise<void>;
}

/** A field of rows that is stored in a separate table: when the visitor was first seen, if retention removed their first view. */
export const FIRST_AT = 'first_at';

/**
 * SQL that stores when visitors were first seen, and which import contained that time (0 if no undo can remove the time).
 * `found`: a query for the columns of the table.
 */
export const keepingFirst = (found: string): string => `
INSERT INTO analytics.visitor_first AS f (site_id, reader_id, import_id, first_at) ${found}
ON CONFLICT (site_id, reader_id, import_id) DO UPDATE SET first_at = excluded.first_at WHERE excluded.first_at < f.first_at`;

/** Starts an import's changes to page views. */
export async function openViewChange(
  client: Client,
  siteId: number,
  { layout, isEmpty, importId, limits, conversions, followStaged }: ViewChangeParts,
) {
  const views = await openStagedViews(client, siteId, conversions);
  const fields = {
    ...factFields(layout),
    pv_id: layout.fieldOf('pv_id'),
    named_by: layout.fieldOf('named_by'),
    firstAt: layout.fieldOf(FIRST_AT),
  };
  /** Whether the site may have stored views. */
  let hasStored = !isEmpty;
  const order = fileOrder(fields);
  let piece = emptyPiece();
  /** The first pieces are smaller, because the database has nothing to do until the first one is staged. */
  let pieceRows = limits.pieceRows / FIRST_PIECES;

  /** Derives and writes the effects of the views that were staged or touched. */
  const apply = async (): Promise<void> => {
    const { staged, touched } = views.size();
    if (staged + touched > 0) {
      if (staged > 0) await followStaged();
      const derived = await views.apply(hasStored);
      // If pieces share a visit, each derives the visit's stored views again. Pieces grow with the number of these views, but within
      // limits, because each batch searches the piece, and matched rows stay in memory.
      const usual = Math.min(limits.pieceRows, pieceRows * 2);
      pieceRows = Math.min(MAX_GROWTH * limits.pieceRows, Math.max(usual, derived - staged));
      hasStored = true;
      piece = emptyPiece();
    }
    await order.keep(views);
  };

  /** Stores the first-seen times that exported files contain for visitors whose first view was removed, except those of ignored rows. */
  const noteFirstTimes = async (batch: RowBatch, ignored: ReadonlySet<number>): Promise<void> => {
    const timed = placesOf(batch).filter((row) => !Number.isNaN(valueAt(batch, row, fields.firstAt)));
    if (timed.length === 0) return;
    const idOf = (row: number): number => valueAt(batch, row, fields.pv_id);
    // Later rows with the same id were merged into the first one.
    const firsts = new Map(Array.from(placesOf(batch).toReversed(), (row) => [idOf(row), row]));
    const firstOf = (row: number): number => (Number.isNaN(idOf(row)) ? row : (firsts.get(idOf(row)) ?? row));
    const given = timed.filter((row) => !ignored.has(row) && !ignored.has(firstOf(row)));
    if (given.length === 0) return;
    const visitorIn = (row: number): number | null => {
      const first = firstOf(row);
      const isNamed = valueAt(batch, first, fields.named_by) !== NAMED_BY.nothing;
      return isNamed ? visitorOf(batch, first, fields) : null;
    };
    const { rows } = await client.query<{ visitor: string; at: Date }>(FIRST_TIMES, [
      siteId,
      importId ?? 0,
      Array.from(given, (row) => (Number.isNaN(idOf(row)) ? null : idOf(row))),
      Array.from(given, visitorIn),
      Array.from(given, (row) => valueAt(batch, row, fields.firstAt)),
    ]);
    if (rows.length === 0) return;
    await views.touchFirst('unnest($1::bigint[], $2::timestamptz[]) u (reader_id, first_at)', [
      rows.map(({ visitor }) => visitor),
      rows.map(({ at }) => at),
    ]);
  };

  return {
    /** Whether one of the rows is the same view as a staged one. If so, the staged rows must be applied first. */
    async meetsStaged(batch: RowBatch, rows: Uint32Array): Promise<boolean> {
      const added = addRows(emptyPiece(), batch, rows, fields);
      const idOf = (row: number): number => valueAt(batch, row, fields.pv_id);
      const ids = rows.filter((row) => overlaps(added.ids, piece.ids) && idOf(row) <= piece.ids.high);
      const times = rows.filter(
        (row) => isGenerated(idOf(row)) && valueAt(batch, row, fields.at) <= piece.times.high,
      );
      if (ids.length === 0 && times.length === 0) return false;
      const { rows: found } = await client.query<{ meets: boolean }>(MEETS, [
        Array.from(ids, idOf),
        ...factLists(Array.from(times, (row) => factsOf(batch, row, fields))),
      ]);
      return found[0]?.meets === true;
    },
    /** Stages new rows from a batch. `stored`: rows that were already stored. */
    async add(batch: RowBatch, rows: Uint32Array, stored: Uint32Array): Promise<void> {
      order.note(batch, rows, stored);
      addRows(piece, batch, rows, fields);
      await views.stage(layout, batch, rows);
    },
    noteFirstTimes,
    /** Applies the piece if it is full. */
    async applyFull(): Promise<void> {
      const { staged, touched } = views.size();
      // A changed view is touched both before and after the change.
      if (Math.max(staged, order.size(), touched / 2) >= pieceRows) await apply();
    },
    nextFile: order.nextFile,
    /** Records views that change in place. */
    touch: views.touch,
    apply,
  };
}

/** The first piece is this many times smaller than usual; pieces then double in size. */
const FIRST_PIECES = 4;

/** The maximum size of a piece, as a multiple of the default. */
const MAX_GROWTH = 16;

/**
 * Stores the first-seen times of the rows' visitors, and returns those that changed. If a row's view is stored, that view's
 * visitor is used. A time is not needed if there is an earlier one that no undo can remove.
 */
const FIRST_TIMES = `${keepingFirst(`
WITH undoable AS MATERIALIZED (SELECT import_id FROM analytics.import_run WHERE site_id = $1 AND can_undo)
SELECT $1::smallint, g.reader_id, $2::integer, g.first_at FROM (
  SELECT CASE WHEN v.pv_id IS NULL THEN u.reader_id WHEN v.named_by <> ${NAMED_BY.nothing} THEN v.reader_id END AS reader_id,
         to_timestamp(min(u.at)) AS first_at
    FROM unnest($3::bigint[], $4::bigint[], $5::float8[]) AS u (pv_id, reader_id, at)
    LEFT JOIN LATERAL (
      SELECT pv_id, reader_id, named_by FROM analytics.page_view
       WHERE site_id = ${ANY_SITE} AND pv_id BETWEEN u.pv_id AND u.pv_id ORDER BY pv_id OFFSET 0) v ON true
   GROUP BY 1) g
 WHERE g.reader_id IS NOT NULL AND NOT EXISTS (
   SELECT FROM analytics.visitor_first e
    WHERE e.site_id = ${ANY_SITE} AND e.reader_id = g.reader_id AND e.first_at <= g.first_at
      AND e.import_id NOT IN (SELECT import_id FROM undoable))`)}
RETURNING reader_id AS visitor, first_at AS at`;

const MEETS = `
SELECT EXISTS (SELECT FROM staged WHERE pv_id = ANY ($1::bigint[]))
    OR EXISTS (SELECT FROM ${FACTS}, staged v
                WHERE ${HAS_FACTS}) AS meets`;
