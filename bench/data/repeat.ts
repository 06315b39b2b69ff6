// Repeats imported visits in the database with different ids and times, because importing that many rows would take half an hour.
// A sample of the repeated rows is also imported, to verify that an import would store the same rows.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { applySites } from '../../extension/data/storage/sites/apply-sites';
import { loadManifest } from '../../manifests/reader/manifest';
import { withBenchHost } from '../host';
import { importBy, type LoadCost } from '../import-by';
import { benchClicks } from './actions';
import { type BenchSite, importedViews, type Size, siteEntry } from './shape';
import { benchViews } from './views';

/** How much later a repetition is than the visit, in seconds, so that the two are not adjacent. */
const SHIFT_SECONDS = 2_220;
/** The number of ids reserved for each repetition. No site has more page views, visits or visitors than this. */
const strideOf = (site: BenchSite, size: Size): number => 2 * importedViews(site, size);

/** The tables that store visits. Each repetition has its own range of pv_id. */
const TABLES = {
  page_view: { ids: ['pv_id', 'session_id', 'reader_id'], times: ['at'] },
  click: { ids: ['pv_id', 'session_id', 'click_id'], times: ['at', 'view_at'] },
  conversion: { ids: ['pv_id', 'session_id'], times: ['at'] },
} as const;

/** Stores all visits of a site again, in one transaction. `turn` numbers the repetitions from 1. */
export async function repeatVisits(
  write: Knex,
  site: BenchSite,
  size: Size,
  turn: number,
): Promise<LoadCost> {
  const stride = strideOf(site, size);
  const started = performance.now();
  const rows = await write.transaction(async (transaction) => {
    const { site_id } = await transaction('analytics.site').where({ tracking_id: site.trackingId }).first();
    let stored = 0;
    for (const [table, { ids, times }] of Object.entries(TABLES)) {
      const columns = await columnsOf(transaction, table);
      const values = columns.map((name) => {
        if (ids.some((one) => one === name)) return transaction.raw('?? + ?::bigint', [name, turn * stride]);
        if (times.some((one) => one === name))
          return transaction.raw('?? + make_interval(secs => ?)', [name, turn * SHIFT_SECONDS]);
        if (name === 'fingerprint') return transaction.raw('md5(??::text || ?::text)::uuid', [name, turn]);
        return transaction.ref(name);
      });
      const rowsOf = () => transaction(`analytics.${table}`).where({ site_id });
      // An interrupted run may have stored this repetition without recording it.
      await rowsOf()
        .whereBetween('pv_id', [turn * stride + 1, (turn + 1) * stride])
        .delete();
      const repeated = rowsOf().whereBetween('pv_id', [1, stride]).select(values);
      const names = transaction.raw(columns.map(() => '??').join(', '), columns);
      const { rowCount } = await transaction.raw('INSERT INTO ?? (?) ?', [
        `analytics.${table}`,
        names,
        repeated,
      ]);
      stored += rowCount;
    }
    return stored;
  });
  return { rows, seconds: (performance.now() - started) / 1000, peakMegabytes: 0 };
}

const SAMPLE_VIEWS = 5_000;
/** Columns with ids that differ between imports, and columns that are used only by later imports. */
const NOT_COMPARED = /^(site_id|click_id|fingerprint|.*_state_id|view_.*_id)$/;

/** Imports a sample of repeated rows into a database in the directory, and throws if the import stores different rows. */
export async function checkRepeated(
  write: Knex,
  directory: string,
  site: BenchSite,
  size: Size,
  turn: number,
): Promise<void> {
  const stride = turn * strideOf(site, size);
  const sessions = await wholeSessions(write, site);
  const sampled = new Set<number>();
  const views: object[] = [];
  for (const { pv_id, session_id, access_time, ...view } of benchViews(site, size)) {
    if (pv_id > SAMPLE_VIEWS) break;
    if (!sessions.has(session_id)) continue;
    sampled.add(pv_id);
    views.push({
      ...view,
      pv_id: pv_id + stride,
      session_id: session_id + stride,
      reader_id: Number(view.reader_id) + stride,
      access_time: access_time + turn * SHIFT_SECONDS,
    });
  }
  const clicks = [...benchClicks(site, SAMPLE_VIEWS)]
    .filter(({ pv_id }) => sampled.has(pv_id))
    .map((click) => ({ ...click, pv_id: click.pv_id + stride }));
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const dataDir = join(directory, 'database');
  const stored = await rowsOf(write, site, stride, sampled);
  await withBenchHost({ dataDir, queryTimeoutSeconds: 60 }, async ({ installation: { database } }) => {
    await applySites(database.write, { sites: [siteEntry(site)] });
    for (const [material, rows] of Object.entries({ allpv: views, click_event: clicks })) {
      const file = join(directory, `${material}.ndjson`);
      writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      await importBy(dataDir, [material, file, '--site', site.trackingId]);
    }
    const imported = await rowsOf(database.write, site, stride, sampled);
    for (const [table, rows] of Object.entries(imported))
      if (rows.length === 0 || !isDeepStrictEqual(stored[table], rows))
        throw new Error(`Repeated rows of ${table} differ from those of an import.`);
  });
  rmSync(directory, { recursive: true });
}

/** The ids of sessions whose page views are all in the sample. */
async function wholeSessions(write: Knex, site: BenchSite): Promise<ReadonlySet<number>> {
  const ofSite = () =>
    write('analytics.page_view').whereIn(
      'site_id',
      write('analytics.site').where({ tracking_id: site.trackingId }).select('site_id'),
    );
  // Reads only the sessions that have a page view in the sample: grouping all 40 million page views takes minutes.
  const sessions = await ofSite()
    .whereIn('session_id', ofSite().where('pv_id', '<=', SAMPLE_VIEWS).select('session_id'))
    .groupBy('session_id')
    .havingRaw('max(pv_id) <= ?', [SAMPLE_VIEWS])
    .pluck<(string | number)[]>('session_id');
  return new Set(sessions.map(Number));
}

const { materials, dimensions } = loadManifest();

/** The rows of the given page views as sorted JSON, with strings instead of dimension ids. */
async function rowsOf(
  write: Knex,
  site: BenchSite,
  stride: number,
  views: ReadonlySet<number>,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const textsOf = (table: string, name: string): Knex.Raw | undefined => {
    const keys = [...materials.values()].find((material) => material.table === table)?.keys;
    const dimension = dimensions.get(keys?.get(name) ?? '');
    if (dimension === undefined) return undefined;
    const { table: texts, id, fields, scope } = dimension;
    const ofSite = scope === 'site' ? 'AND d.site_id = t.site_id' : '';
    return write.raw(
      `(SELECT jsonb_build_array(${fields.map(() => 'd.??').join(', ')}) FROM ?? d WHERE d.?? = t.?? ${ofSite}) AS ??`,
      [...fields, `analytics.${texts}`, id, name, name],
    );
  };
  const found = Object.entries(TABLES).map(async ([table, { ids }]) => {
    const columns = await columnsOf(write, table);
    const values = columns
      .filter((name) => !NOT_COMPARED.test(name))
      .map((name) => (ids.some((one) => one === name) ? undefined : textsOf(table, name)) ?? `t.${name}`);
    const rows: object[] = await write({ t: `analytics.${table}` })
      .whereIn('t.site_id', write('analytics.site').where({ tracking_id: site.trackingId }).select('site_id'))
      .whereIn(
        't.pv_id',
        [...views].map((pvId) => pvId + stride),
      )
      .select(values);
    return [table, rows.map((row) => JSON.stringify(row)).toSorted()] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

const columnsOf = (write: Knex, table: string): Promise<string[]> =>
  write('information_schema.columns')
    .where({ table_schema: 'analytics', table_name: table, is_generated: 'NEVER' })
    .orderBy('ordinal_position')
    .pluck('column_name');
