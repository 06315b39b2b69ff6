// The spike of the site change: a loader of page views that stages facts and lets set-based statements do the rest. It takes the
// same batches as the current loader, from the same reader and with the same checks.
import type { Client } from 'pg';
import { openStaging, runStep, type Step } from '../../extension/data/change/steps';
import { stageRows } from '../../extension/data/import/copy-rows';
import { openDimensions, openStates } from '../../extension/data/import/dimensions';
import { FIRST_GENERATED_ID, loadIdCounters } from '../../extension/data/import/generated-ids';
import { openGivenIds } from '../../extension/data/import/given-ids';
import { ImportError } from '../../extension/data/import/import-error';
import type { MaterialLoader } from '../../extension/data/import/loader';
import type { LoaderContext } from '../../extension/data/import/loader-context';
import { newestValues, PAGE_VALUES, READER_VALUES } from '../../extension/data/import/newest-values';
import { rowChecker } from '../../extension/data/import/row-checker';
import { loadTableLayout } from '../../extension/data/import/table-layout';
import { conversionUpdater } from '../../extension/data/storage/goals/conversions';
import { emptyPiece, type Piece, pieceGrower, rowCompleter, seenVisitors, withLine } from './collect-rows';
import { backendSeconds } from './measure';

export interface SiteChangeOptions {
  /** Rows that are staged before they are derived and applied. */
  readonly pieceRows: number;
  /** Adds up the processor seconds of the server for each step. */
  readonly spent?: Map<string, number>;
}

/** What stored rows can meet or neighbour the staged ones; null: none. Times are those of rows without an id, and without a visit. */
interface Bounds {
  readonly lowId: string | null;
  readonly highId: string | null;
  readonly lowVisit: string | null;
  readonly highVisit: string | null;
  readonly first: string | null;
  readonly last: string | null;
}

const [LOWEST, HIGHEST] = ['0', String(FIRST_GENERATED_ID - 1)];
const NONE: Bounds = {
  ...{ lowId: null, highId: null, lowVisit: null, highVisit: null, first: null, last: null },
};
const ALL: Bounds = {
  ...{ lowId: LOWEST, highId: HIGHEST, lowVisit: LOWEST, highVisit: HIGHEST },
  ...{ first: '-infinity', last: 'infinity' },
};

/** Below this many rows, all of them are looked up. */
const FEW_ROWS = 4096;

/** The stored rows within the spans of a piece. */
async function boundsOf(
  client: Client,
  siteId: number,
  { ids, visits, times, rows }: Piece,
): Promise<Bounds> {
  if (rows < FEW_ROWS) return ALL;
  const { rows: found } = await client.query<Bounds>(
    `SELECT ${nearest('pv_id', '$2', '$3', ['"lowId"', '"highId"'])}, ${nearest('session_id', '$4', '$5', ['"lowVisit"', '"highVisit"'])},
            t.first::text, t.last::text
       FROM (SELECT min(at) AS first, max(at) AS last FROM analytics.page_view
              WHERE site_id = $1 AND at BETWEEN to_timestamp($6) - interval '30 minutes' AND to_timestamp($7) + interval '30 minutes') t`,
    [siteId, ...[ids, visits, times].flatMap(({ low, high }) => (low > high ? [null, null] : [low, high]))],
  );
  const [bounds] = found;
  if (bounds === undefined) throw new Error('The staged rows have no bounds.');
  return bounds;
}

/** SQL for the smallest and the largest stored number between two others. */
const nearest = (
  field: string,
  low: string,
  high: string,
  [first, last]: readonly [string, string],
): string =>
  [
    ['', first],
    ['DESC', last],
  ]
    .map(
      ([order, name]) =>
        `(SELECT ${field} FROM analytics.page_view WHERE site_id = $1 AND ${field} BETWEEN ${low}::bigint AND ${high}::bigint ORDER BY ${field} ${order} LIMIT 1) AS ${name}`,
    )
    .join(', ');

/** Opens the loader of page views for one import. */
export async function openSiteChange(
  context: LoaderContext,
  { pieceRows, spent = new Map() }: SiteChangeOptions,
): Promise<MaterialLoader> {
  const { client, siteId, browseSec, undo, duplicates, limits } = context;
  await openStaging(client);
  // Statistics know nothing of tables that are being filled, and a merge join would sort wide rows.
  await client.query('SET LOCAL enable_mergejoin = off');
  const stored = await loadTableLayout(client, 'page_view');
  const layout = withLine(stored);
  const counters = await loadIdCounters(client, siteId);
  const readerIds = { firstId: FIRST_GENERATED_ID, takeId: counters.reader, timeColumn: 'seen_at' };
  const newest = new Map([
    ['page', newestValues(PAGE_VALUES, context)],
    ['reader', newestValues(READER_VALUES, context)],
  ]);
  const states = new Map(Object.entries(openStates(context)));
  const ids = openGivenIds(context, ['pv_id', 'session_id', 'reader_id', 'version_id']);
  const dimensions = openDimensions(context, new Map([['reader', readerIds]]));
  const checker = rowChecker({ ...context, layout, dimensions, newest, states, ids });
  const conversions = await conversionUpdater(client, siteId, ['view', 'click', 'event']);
  if (counters.empty) conversions.addAll();
  const seen = seenVisitors(counters.empty, limits.knownKeys);
  const complete = rowCompleter(layout, siteId, browseSec, counters, seen);
  const grow = pieceGrower(layout);
  const totals = { added: 0, updated: 0, kept: 0, unchanged: 0 };
  const { rows: pids } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const backend = pids[0]?.pid ?? 0;
  let piece = emptyPiece();
  let isWritten = !counters.empty;

  const timed = async <T>(
    step: Step | 'bounds' | 'empty' | 'conversions',
    work: () => Promise<T>,
  ): Promise<T> => {
    const begun = backendSeconds(backend);
    const result = await work();
    spent.set(step, (spent.get(step) ?? 0) + backendSeconds(backend) - begun);
    return result;
  };

  const change = async (): Promise<void> => {
    if (piece.rows === 0) return;
    const bounds = isWritten ? await timed('bounds', () => boundsOf(client, siteId, piece)) : NONE;
    const { lowId, highId, lowVisit, highVisit, first, last } = bounds;
    if (!piece.isAscending) await timed('twins', () => settleTwins(client, duplicates === 'last'));
    const [, changed = 0] =
      lowId !== null || first !== null
        ? await timed('match', () =>
            byIndex(client, () => runStep(client, 'match', [siteId, lowId, highId, first, last])),
          )
        : [];
    if (undo !== undefined) await timed('record', () => runStep(client, 'record', [siteId, undo.importId]));
    if (isWritten)
      await timed('affected', () => runStep(client, 'affected', [siteId, first, last, lowVisit, highVisit]));
    await timed('derive', async () => {
      await client.query('ANALYZE staged (status)');
      await runStep(client, 'derive', [siteId]);
    });
    if (changed > 0)
      await timed('settle', () => byIndex(client, () => runStep(client, 'release-values', [siteId])));
    const [added = 0] = await timed('apply-new', () => runStep(client, 'apply-new', [siteId]));
    const [updated = 0] =
      changed > 0
        ? await timed('apply-changed', () =>
            byIndex(client, () => runStep(client, 'apply-changed', [siteId])),
          )
        : [];
    if (isWritten) {
      const [moved = 0] = await timed('apply-moved', () =>
        byIndex(client, () => runStep(client, 'apply-moved', [siteId])),
      );
      if (moved > 0 || changed > 0)
        await timed('settle', () => byIndex(client, () => runStep(client, 'settle-moved', [siteId])));
    }
    await timed('settle', () => runStep(client, 'settle', [siteId]));
    await timed('conversions', () =>
      conversions.addFound('SELECT session_id FROM derived UNION SELECT session_id FROM affected_visit', []),
    );
    totals.added += added;
    totals.updated += updated;
    totals.unchanged += piece.rows - added - updated;
    seen.nextPiece();
    isWritten = true;
    piece = emptyPiece();
    await timed('empty', () => client.query('TRUNCATE staged, affected_visit, affected_visitor, derived'));
  };

  return {
    checker,
    rejectsLate: true,
    async write(batch, last) {
      await timed('collect', async () => {
        await checker.settleIds(client, batch);
        const places = new Uint32Array(batch.end - batch.start).map((_, place) => batch.start + place);
        for (const row of places) {
          complete(batch, row);
          grow(piece, batch.values, row * layout.width);
        }
        await stageRows(client, layout, batch, places, 'staged');
      });
      if (piece.rows >= pieceRows || last) await change();
      return [];
    },
    async finish() {
      await timed('conversions', () => conversions.update());
      return totals;
    },
    tables: ['page_view', 'page', 'source', 'reader', 'conversion'],
  };
}

/** Runs statements that look up few rows of a large table, whose statistics may not cover the site yet. */
async function byIndex<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query('SET LOCAL enable_hashjoin = off');
  const result = await work();
  await client.query('SET LOCAL enable_hashjoin = on');
  return result;
}

/** Merges rows of the file with the same key, or rejects those that differ. */
async function settleTwins(client: Client, isMerging: boolean): Promise<void> {
  const found = await runStep(client, 'twins', []);
  if (found.every((count) => count === 0)) return;
  if (isMerging) {
    for (let place = 1; ; place += 1) {
      const [merged = 0] = await runStep(client, 'merge-twins', [place]);
      if (merged === 0) return;
    }
  }
  await runStep(client, 'differing-twins', []);
  const { rows } = await client.query<{ line: number | null }>(
    'SELECT min(line)::float8 AS line FROM staged WHERE status = 3',
  );
  const line = rows[0]?.line ?? null;
  if (line !== null) throw new ImportError('has the same key as an earlier row, and other values', { line });
}
