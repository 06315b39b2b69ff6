// Facts about visits, checked in the copy: whether visits are regular (see MAX_PAUSE_SECONDS), and which fields vary within a visit.
import type { Manifest } from '../../../manifests/reader/manifest';
import { SITE_FIELD } from '../../language/types/plan';
import { MAX_PAUSE_SECONDS } from '../../language/types/unique-counts';
import { type Derived, foundIn, placeholders } from './unique-counts';

const VISIT = 'session_id';
const NUMBER = 'pv';

/** The checked fields of a table: the keys of dimensions that are usually constant in a visit. */
export interface VisitFacts {
  readonly material: string;
  readonly source: string;
  readonly time: string;
  readonly fields: readonly string[];
}

export const visitFacts = ({ materials, dimensions }: Pick<Manifest, 'materials' | 'dimensions'>) =>
  [...materials.values()].flatMap(({ name, table, time, uniqueCounts, keys }): readonly VisitFacts[] => {
    if (table === undefined || time === undefined || !uniqueCounts.some(({ value }) => value === VISIT))
      return [];
    const fields = [...keys].flatMap(([field, dimension]) =>
      field !== SITE_FIELD && dimensions.get(dimension)?.sessionConstant === true ? [field] : [],
    );
    return [{ material: name, source: table, time: time.field, fields }];
  });

export const nameOfFacts = ({ material }: Pick<VisitFacts, 'material'>): string => `visits_${material}`;

/** The lowest bit of `found`: set if some visits are irregular. Each other bit is set if a field varies within a visit. */
const IRREGULAR = 1;

/** The fields that have a single value in each visit, according to the bits in `found`. */
export const constantFields = ({ fields }: VisitFacts, found: number): ReadonlySet<string> =>
  new Set(
    (found & IRREGULAR) !== 0
      ? []
      : [SITE_FIELD, VISIT, ...fields.filter((_field, index) => (found & (2 << index)) === 0)],
  );

/**
 * SQL that returns the bits for each site. It compares the rows between $1 and $2 with the previous rows of their visits. Rows before
 * $1 have already been compared. A row numbered 1 must not have previous rows, however far back.
 */
function comparison({ source, time, fields }: VisitFacts, ofSites: string): string {
  const table = `analytics.${source}`;
  const compared = `${ofSites} AND "${time}" >= $1 AND "${time}" < $2`;
  const earliest = `$1 - ${MAX_PAUSE_SECONDS}`;
  const read = `FROM ${table} WHERE ${ofSites} AND "${time}" >= ${earliest} AND "${time}" < $2`;
  const isIrregular = [
    `${NUMBER} < 1`,
    `(${NUMBER} = 1) <> (lag(${NUMBER}) OVER visit IS NULL)`,
    `"${time}" - lag("${time}") OVER visit >= ${MAX_PAUSE_SECONDS}`,
  ].join(' OR ');
  const varying = fields.map(
    (field, index) =>
      `CASE WHEN min(${field}) <> max(${field}) OR count(${field}) NOT IN (0, count(*)) THEN ${2 << index} ELSE 0 END`,
  );
  return `SELECT site_id, bit_or(bits) AS found FROM (
      SELECT site_id, (${varying.join(' | ')})::UINTEGER AS bits ${read} GROUP BY site_id, ${VISIT}
      UNION ALL
      SELECT site_id, CASE WHEN ${isIrregular} THEN ${IRREGULAR} ELSE 0 END ${read}
      WINDOW visit AS (PARTITION BY site_id, ${VISIT} ORDER BY "${time}", ${NUMBER}) QUALIFY "${time}" >= $1
      UNION ALL
      SELECT site_id, ${IRREGULAR} FROM ${table}
        SEMI JOIN (SELECT site_id, ${VISIT} FROM ${table} WHERE ${compared} AND ${NUMBER} = 1) USING (site_id, ${VISIT})
       WHERE ${ofSites} AND "${time}" < ${earliest}
    ) GROUP BY site_id`;
}

/** Earlier findings are kept unless all rows are compared. */
export const derivedFacts = (facts: VisitFacts): Derived => ({
  name: nameOfFacts(facts),
  source: facts.source,
  time: facts.time,
  compared: 'visits',
  async update(run, { siteIds, since, end }, known) {
    const isWhole = since === 0;
    const ofSites = `site_id IN (${placeholders(siteIds, 3)})`;
    const bindings = [isWhole ? -Infinity : since, end, ...siteIds];
    const found = foundIn(await run({ text: comparison(facts, ofSites), bindings }));
    if (isWhole) return found;
    return new Map(siteIds.map((it) => [it, ((known.get(it) ?? 0) | (found.get(it) ?? 0)) >>> 0]));
  },
  async differs(file, siteId, found) {
    const bindings = [-Infinity, Infinity, siteId];
    const [[, present = 0] = []] = await file.read({ text: comparison(facts, 'site_id = $3'), bindings });
    return (Number(present) & ~found) !== 0;
  },
});
