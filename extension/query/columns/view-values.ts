// Values that the copy adds to each click and event: fields of its page view, and facts about its visit. Queries then need not look
// up every page view.
import type { Manifest } from '../../../manifests/reader/manifest';
import { QUARTER_HOUR } from '../../language/types/unique-counts';
import { VISIT, VISIT_REACH, VISIT_VIEWS } from '../../language/types/view-values';
import { type CopiedTable, DUCKDB_TYPES } from './copied-tables';
import { type Derived, foundIn, placeholders, untilOf } from './unique-counts';
import { visitFacts } from './visit-facts';

/** Describes the values that the copy adds to a table of clicks or events. */
export interface ViewValues {
  /** The table of clicks or events, and its field with the time of the page view. */
  readonly source: string;
  readonly time: string;
  /** The time of the row itself. */
  readonly at: string;
  /** The fields that are equal in a row and its page view. */
  readonly copied: readonly string[];
  readonly views: { readonly table: string; readonly time: string };
  readonly fields: readonly string[];
  /** The materials in the table. */
  readonly materials: readonly string[];
}

export function viewValues(manifest: Pick<Manifest, 'materials' | 'dimensions'>): readonly ViewValues[] {
  const facts = visitFacts(manifest);
  const found = new Map<string, ViewValues>();
  for (const { name, table, parent, time } of manifest.materials.values()) {
    const ofViews = facts.find(({ material }) => material === parent?.material);
    if (table === undefined || parent === undefined || time === undefined || ofViews === undefined) continue;
    found.set(table, {
      source: table,
      time: parent.time,
      at: time.field,
      copied: [parent.key, ...parent.copied],
      views: { table: ofViews.source, time: ofViews.time },
      fields: ofViews.fields,
      materials: [...(found.get(table)?.materials ?? []), name],
    });
  }
  return [...found.values()];
}

export const nameOfValues = ({ source }: ViewValues): string => `views_of_${source}`;

/** SQL for the columns that the table has in addition to those of PostgreSQL. */
export const columnsOfViews = (
  { views, fields }: ViewValues,
  tables: readonly CopiedTable[],
): readonly string[] => {
  const stored = tables.find(({ name }) => name === views.table)?.fields ?? [];
  const typeOf = (field: string): string =>
    DUCKDB_TYPES[stored.find(({ name }) => name === field)?.kind ?? 'bigint'];
  return [
    ...fields.map((field) => `"${field}" ${typeOf(field)}`),
    `"${VISIT_VIEWS}" UINTEGER`,
    `"${VISIT_REACH}" UINTEGER`,
  ];
};

/** Stored instead of the reach if some rows do not match a page view. Only SQL from outside the program can cause that. */
export const SOME_UNMATCHED = 2 ** 32 - 1;

/** SQL that computes the values of the rows `c` that meet a condition: null for rows that do not match a page view. */
function computed(
  { source, time, at, copied, views, fields }: ViewValues,
  ofSites: string,
  condition: string,
): string {
  const table = `analytics.${views.table}`;
  const chosen = `FROM analytics.${source} c WHERE ${ofSites} AND ${condition}`;
  const reach = `ceil(greatest(c."${at}" - s.first, s.last - c."${at}", 0) / ${QUARTER_HOUR})::UINTEGER`;
  return `SELECT c.rowid AS place, ${fields.map((field) => `v."${field}"`).join(', ')},
      CASE WHEN v.is_found THEN s.views END AS "${VISIT_VIEWS}", CASE WHEN v.is_found THEN ${reach} END AS "${VISIT_REACH}"
    FROM (SELECT rowid, site_id, "${at}", "${time}", ${copied.join(', ')} ${chosen}) c
    LEFT JOIN (SELECT site_id, "${views.time}" AS "${time}", ${[...copied, ...fields].join(', ')}, true AS is_found
                 FROM ${table} WHERE ${ofSites}) v USING (site_id, "${time}", ${copied.join(', ')})
    LEFT JOIN (SELECT site_id, ${VISIT}, count(*)::UINTEGER AS views, min("${views.time}") AS first, max("${views.time}") AS last
            FROM ${table} SEMI JOIN (SELECT DISTINCT site_id, ${VISIT} ${chosen}) USING (site_id, ${VISIT})
           WHERE ${ofSites} GROUP BY site_id, ${VISIT}) s USING (site_id, ${VISIT})`;
}

/**
 * A change to page views at or after $1 affects the clicks on these page views, and all clicks of visits that had page views at or
 * after $1 before the change, as their reach shows, or that have some after it. Copied clicks have no values yet.
 */
export const derivedValues = (values: ViewValues): Derived => ({
  name: nameOfValues(values),
  source: values.source,
  time: values.time,
  changedBy: [values.source, values.views.table],
  compared: 'page view',
  async update(run, piece) {
    const { siteIds, since } = piece;
    const { source, time, at, views, fields } = values;
    // Page views may follow long after the last click.
    const until = untilOf(piece);
    const ofSites = `site_id IN (${placeholders(siteIds, 3)})`;
    const isAffected = [
      `"${time}" >= $1`,
      `"${VISIT_VIEWS}" IS NULL`,
      `"${at}" + "${VISIT_REACH}"::BIGINT * ${QUARTER_HOUR} >= $1`,
      `${VISIT} IN (SELECT ${VISIT} FROM analytics.${views.table} WHERE ${ofSites} AND "${views.time}" >= $1 AND "${views.time}" < $2)`,
    ].join(' OR ');
    const all = [...fields, VISIT_VIEWS, VISIT_REACH];
    await run({
      text: `UPDATE analytics.${source} SET ${all.map((field) => `"${field}" = new."${field}"`).join(', ')}
        FROM (${computed(values, ofSites, `"${time}" < $2 AND (${isAffected})`)}) new WHERE ${source}.rowid = new.place`,
      bindings: [since, until, ...siteIds],
    });
    return foundIn(
      await run({
        text: `SELECT site_id, CASE WHEN bool_or("${VISIT_VIEWS}" IS NULL AND "${time}" < $1::DOUBLE) THEN ${SOME_UNMATCHED}
                                    ELSE max("${VISIT_REACH}") END
                 FROM analytics.${source} WHERE site_id IN (${placeholders(siteIds, 2)}) GROUP BY site_id`,
        bindings: [until, ...siteIds],
      }),
    );
  },
  async differs(file, siteId) {
    const { source, fields } = values;
    const all = [...fields, VISIT_VIEWS, VISIT_REACH];
    const stored = `(SELECT rowid AS place, ${all.map((field) => `"${field}"`).join(', ')} FROM analytics.${source} WHERE site_id = $1)`;
    const present = computed(values, 'site_id = $1', 'true');
    const [[differing] = []] = await file.read({
      text: `SELECT count(*) FROM ((${present} EXCEPT ${stored}) UNION ALL (${stored} EXCEPT ${present}))`,
      bindings: [siteId],
    });
    return differing !== 0;
  },
});
