// The page views that one import adds or changes. New ones are staged in pieces. For each piece, the derived values of all
// affected visits are computed, and every new row is written once, in chronological order.
import type { Client } from 'pg';
import { isGenerated } from '../rows/generated-ids';
import { placesOf, type RowBatch, valueAt } from '../rows/row-batch';
import type { TableLayout } from '../rows/table-layout';
import type { ConversionUpdater } from '../storage/goals/conversions';
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
  readonly conversions: ConversionUpdater;
  /** Runs once a piece is staged. */
  followStaged(): Promise<void>;
}

/** A field of rows that is neither staged nor stored: when a visitor was first seen, if the first view was removed because of its age. */
export const FIRST_AT = 'first_at';

/** SQL that stores when visitors were first seen, unless an earlier time is stored. `found`: a query for sites, visitors and times. */
export const keepingFirst = (found: string): string => `
INSERT INTO analytics.visitor_first AS f (site_id, reader_id, first_at) ${found}
ON CONFLICT (site_id, reader_id) DO UPDATE SET first_at = least(f.first_at, excluded.first_at)`;

/** Starts an import's changes to page views. */
export async function openViewChange(
  client: Client,
  siteId: number,
  { layout, isEmpty, limits, conversions, followStaged }: ViewChangeParts,
) {
  const views = await openStagedViews(client, siteId, conversions);
  const fields = {
    ...factFields(layout),
    pv_id: layout.fieldOf('pv_id'),
    firstAt: layout.fieldOf(FIRST_AT),
  };
  /** Whether the site may have stored views, or visitors whose first view was removed. */
  let hasStored = !isEmpty;
  const order = fileOrder(fields);
  let piece = emptyPiece();
  let pieceRows = limits.pieceRows;

  /** Derives and writes the effects of the views that were staged or touched. */
  const apply = async (): Promise<void> => {
    const { staged, touched } = views.size();
    if (staged + touched > 0) {
      if (staged > 0) await followStaged();
      const derived = await views.apply(hasStored);
      // If pieces share a visit, each derives the visit's stored views again. Pieces grow with the number of these views, but within
      // limits, because each batch searches the piece, and matched rows stay in memory.
      pieceRows = Math.min(MAX_GROWTH * limits.pieceRows, Math.max(limits.pieceRows, derived - staged));
      hasStored = true;
      piece = emptyPiece();
    }
    await order.keep(views);
  };

  return {
    /** Stores when visitors were first seen, which exported files contain for visitors whose first view was removed. */
    async noteFirstTimes(batch: RowBatch): Promise<void> {
      const given = placesOf(batch).filter((row) => !Number.isNaN(valueAt(batch, row, fields.firstAt)));
      if (given.length === 0) return;
      // For rows before these, nothing was known about earlier views, as in a separate import.
      if (!hasStored) await apply();
      hasStored = true;
      await client.query(FIRST_TIMES, [
        siteId,
        Array.from(given, (row) => visitorOf(batch, row, fields)),
        Array.from(given, (row) => valueAt(batch, row, fields.firstAt)),
      ]);
    },
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
    /** Stages new rows from a batch, and applies them if they fill a piece. `stored`: rows that were already stored. */
    async add(batch: RowBatch, rows: Uint32Array, stored: Uint32Array): Promise<void> {
      order.note(batch, rows, stored);
      addRows(piece, batch, rows, fields);
      await views.stage(layout, batch, rows);
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

/** The maximum size of a piece, as a multiple of the default. */
const MAX_GROWTH = 16;

const FIRST_TIMES = keepingFirst(
  `SELECT $1, reader_id, to_timestamp(min(at)) FROM unnest($2::bigint[], $3::float8[]) AS u(reader_id, at)
    WHERE reader_id IS NOT NULL GROUP BY reader_id`,
);

const MEETS = `
SELECT EXISTS (SELECT FROM staged WHERE pv_id = ANY ($1::bigint[]))
    OR EXISTS (SELECT FROM ${FACTS}, staged v
                WHERE ${HAS_FACTS}) AS meets`;
