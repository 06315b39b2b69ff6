// How much data sites have in a dataset, and sample values for its columns.
import type { Material } from '../../../manifests/reader/manifest';
import type { Site } from '../../data/storage/sites/list-sites';
import { readDocument } from '../../language/parse/read-document';
import { afterLocalDateTime } from '../../language/time/local-time';
import type { Value, WholeAnswer } from '../../language/types/query-result';
import type { QueryContext } from '../../query/query-context';
import { runQuery, wholeAnswer } from '../../query/run-query';
import { readAvailability } from '../guide/availability';

export interface SiteSpan {
  readonly site: Site;
  /** An estimate; null for a dataset that is not a table. */
  readonly rows: number | null;
  /** Local days, inclusive. */
  readonly days: { readonly first: string; readonly last: string } | null;
}

/** Whether a dataset has its own table. Goals, events and summaries are read from other tables. */
const isTable = ({ onePer, table }: Material): boolean => onePer === undefined && table !== undefined;

/** For a dataset that is not a table, the days are those of the page views. */
export async function spansOf(
  material: Material,
  sites: readonly Site[],
  { manifest, database }: Pick<QueryContext, 'manifest' | 'database'>,
): Promise<readonly SiteSpan[]> {
  const read = isTable(material) ? material : manifest.materials.get('allpv');
  if (read === undefined) return [];
  const available = await readAvailability(database, sites, [read]);
  return sites.map((site) => {
    const found = available.get(site.siteId)?.get(read.name) ?? null;
    return {
      site,
      rows: isTable(material) ? (found?.rows ?? 0) : null,
      days: found && { first: found.firstDay, last: found.lastDay },
    };
  });
}

export const countRows = async (material: Material, span: SiteSpan, context: QueryContext): Promise<number> =>
  (await readWith({ count_only: true }, material, span, context))?.count ?? 0;

const SAMPLE_ROWS = 200;
const MAX_SAMPLES = 3;
const MAX_SAMPLE_LENGTH = 80;

/** A few distinct values of each column, as returned by queries. */
export async function sampleValues(
  material: Material,
  span: SiteSpan,
  context: QueryContext,
): Promise<ReadonlyMap<string, readonly Value[]>> {
  const recent =
    isTable(material) && span.days !== null
      ? { ...span, days: { ...span.days, first: span.days.last } }
      : span;
  const result = await readWith({ limit: SAMPLE_ROWS }, material, recent, context);
  return new Map(
    result?.columns.map((name, index) => {
      const values = new Set(result.rows.map((row) => row[index] ?? null));
      values.delete(null);
      return [name, [...values].slice(0, MAX_SAMPLES).map(shortened)];
    }),
  );
}

const shortened = (value: Value): Value =>
  typeof value === 'string' && value.length > MAX_SAMPLE_LENGTH
    ? `${value.slice(0, MAX_SAMPLE_LENGTH)}...`
    : value;

/** Queries all columns of a material; undefined for a site without data. */
async function readWith(
  result: object,
  { name, columns }: Material,
  { site, days }: SiteSpan,
  context: QueryContext,
): Promise<WholeAnswer | undefined> {
  if (days === null) return undefined;
  const query = {
    tracking_id: site.trackingId,
    materials: [{ name }],
    time: { start: `${days.first}T00:00:00`, end: afterLocalDateTime(days.last), tz: site.timezone },
    make: { rows: { from: [name], keep: [...columns.keys()].map((column) => `${name}.${column}`) } },
    result: { use: 'rows', ...result },
  };
  // Only a few values of these rows are in the answer.
  const unlimited = { ...context, maxAnswerBytes: Number.POSITIVE_INFINITY };
  return wholeAnswer(await runQuery(readDocument(JSON.stringify(query)), unlimited));
}
