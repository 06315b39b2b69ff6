// Measures the cost of staging strings and looking up their ids in sets: `node_modules/.bin/tsx bench/site-change/run-texts.ts`.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadManifest } from '../../manifests/reader/manifest';
import { SITE, startCluster } from './databases';
import { FORMAT, writeFiles } from './files';
import { importThrough } from './import-through';
import { costOf } from './measure';
import { openSiteChange } from './site-change';

const manifest = loadManifest();
const SOURCE = ['source_domain', 'referrer', 'utm_source', 'utm_term'] as const;
const ONE_TEXT = {
  page: 'url',
  medium: 'utm_medium',
  campaign: 'utm_campaign',
  content: 'utm_content',
  os: 'os',
  browser: 'browser',
  language: 'language',
  country: 'country_code',
} as const;
const SHARED: ReadonlySet<string> = new Set(['os', 'browser', 'language', 'country']);

/** Rows as a reader without caches would stage them. */
const STAGE = `
CREATE TEMPORARY TABLE staged_text AS
SELECT v.pv_id, v.at, v.reader_id, v.session_id, v.device_id, p.url, t.title, s.source_domain, s.referrer, s.utm_source, s.utm_term, m.utm_medium,
       c.utm_campaign, n.utm_content, o.os, b.browser, l.language, k.country_code, v.speed_msec, v.browse_sec
  FROM analytics.page_view v JOIN analytics.page p USING (site_id, page_id)
  LEFT JOIN analytics.page_state t USING (site_id, page_state_id) LEFT JOIN analytics.source s USING (site_id, source_id)
  LEFT JOIN analytics.medium m USING (site_id, medium_id) LEFT JOIN analytics.campaign c USING (site_id, campaign_id)
  LEFT JOIN analytics.content n USING (site_id, content_id) LEFT JOIN analytics.os o USING (os_id)
  LEFT JOIN analytics.browser b USING (browser_id) LEFT JOIN analytics.language l USING (language_id)
  LEFT JOIN analytics.country k USING (country_id)`;

/** The values that a dimension lacks. */
const missing = (table: string, text: string): string =>
  `SELECT count(*) FROM (SELECT DISTINCT ${text} FROM staged_text WHERE ${text} IS NOT NULL) s
    WHERE NOT EXISTS (SELECT FROM analytics.${table} d WHERE ${SHARED.has(table) ? '' : 'd.site_id = 1 AND '}d.${text} = s.${text})`;

const joinOf = (table: string, text: string): string =>
  `LEFT JOIN analytics.${table} ON ${SHARED.has(table) ? '' : `${table}.site_id = 1 AND `}${table}.${text} = s.${text}`;

const lookUp = (source: string): string =>
  `CREATE TEMPORARY TABLE staged_ids ON COMMIT DROP AS
   SELECT s.pv_id, ${[...Object.keys(ONE_TEXT), 'source'].map((table) => `${table}.${table}_id`).join(', ')}
     FROM staged_text s ${Object.entries(ONE_TEXT)
       .map(([table, text]) => joinOf(table, text))
       .join(' ')} LEFT JOIN analytics.source ON source.site_id = 1 AND ${source}`;

const keyOf = (row: string): string =>
  `jsonb_build_array(${SOURCE.map((name) => `${row}.${name}`).join(', ')})::text`;
const BY_KEY = `${keyOf('source')} = ${keyOf('s')} AND num_nonnulls(${SOURCE.map((name) => `s.${name}`).join(', ')}) > 0`;
const NOT_DISTINCT = SOURCE.map((name) => `source.${name} IS NOT DISTINCT FROM s.${name}`).join(' AND ');
/** Without a key to join on, the rows of this many views are compared with every source. */
const FEW = 5000;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { views: { type: 'string', default: '200000' }, files: { type: 'string' } },
  });
  const directory = mkdtempSync(join(tmpdir(), 'qal-change-'));
  const folder = values.files ?? join(directory, 'files');
  mkdirSync(folder, { recursive: true });
  const cluster = await startCluster(join(directory, 'database'));
  try {
    for (const kind of ['given', 'log'] as const) {
      const { rest } = await writeFiles(folder, kind, Number(values.views));
      const write = await cluster.create(`texts_${kind}`, 'change');
      await importThrough({
        ...{ write, manifest, site: SITE, format: FORMAT[kind], input: rest },
        openLoader: (context) => openSiteChange(context, { pieceRows: 65_536 }),
      });
      await write.raw('VACUUM ANALYZE');
      await write.transaction(async (transaction) => {
        await transaction.raw("SET LOCAL work_mem = '32MB'");
        await transaction.raw(STAGE);
        await transaction.raw('ANALYZE staged_text');
        const answer: { rows: { rows: number; width: number; sources: number }[] } = await transaction.raw(
          `SELECT count(*)::int AS rows, (pg_relation_size('staged_text') / count(*))::int AS width,
                  (SELECT count(*)::int FROM analytics.source) AS sources FROM staged_text`,
        );
        const [{ rows, width, sources } = { rows: 1, width: 0, sources: 0 }] = answer.rows;
        const show = async (what: string, statements: readonly string[], of = rows): Promise<void> => {
          const { server } = await costOf(cluster.postmaster, async () => {
            for (const statement of statements) await transaction.raw(statement);
          });
          process.stdout.write(
            `${kind}: ${what}: ${((server * 1e6) / of).toFixed(1)} us of the server a row\n`,
          );
        };
        process.stdout.write(
          `${kind}: ${rows} rows of ${width} bytes with their texts, ${sources} sources\n`,
        );
        await show(
          'texts that are missing',
          Object.entries(ONE_TEXT).map(([table, text]) => missing(table, text)),
        );
        await show('ids of nine dimensions, source by one key', [lookUp(BY_KEY), 'DROP TABLE staged_ids']);
        await transaction.raw(
          `DELETE FROM staged_text WHERE ctid NOT IN (SELECT ctid FROM staged_text LIMIT ${FEW})`,
        );
        await show(
          `source by IS NOT DISTINCT FROM, ${FEW} rows`,
          [lookUp(NOT_DISTINCT)],
          Math.min(FEW, rows),
        );
      });
      await write.destroy();
    }
  } finally {
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
