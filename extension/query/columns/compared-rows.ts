import type { CopiedTable } from './copied-tables';
import type { ColumnStatement } from './run-prepared';

/** A span of ids, or of UTC days since 1970-01-01, inclusive. */
export interface Span {
  readonly low: number;
  readonly high: number;
}

export interface ComparedRows {
  readonly table: CopiedTable;
  readonly title: string;
  readonly stored: string;
  readonly copied: Required<ColumnStatement>;
}

const DAY = 86_400;

export function rowsOfSite(table: CopiedTable, siteId: number, span: Span | undefined): ComparedRows {
  if (span === undefined)
    return {
      table,
      title: 'all rows',
      stored: `site_id = ${siteId}`,
      copied: { text: 'site_id = $1', bindings: [siteId] },
    };
  const { low, high } = unitBounds(table, span);
  return {
    table,
    title: spanTitle(table, span),
    stored: `site_id = ${siteId} AND ${unitCondition(table, span)}`,
    copied: {
      text: `site_id = $1 AND ${inCopyUnit(table)} BETWEEN $2 AND $3`,
      bindings: [siteId, low, high],
    },
  };
}

/** All other rows of the site. In a damaged copy, rows may have no day or id. */
export function rowsOutside(table: CopiedTable, siteId: number, span: Span): ComparedRows {
  const { low, high } = unitBounds(table, span);
  return {
    table,
    title: `outside ${spanTitle(table, span)}`,
    stored: `site_id = ${siteId} AND NOT (${unitCondition(table, span)})`,
    copied: {
      text: `site_id = $1 AND (${inCopyUnit(table)} BETWEEN $2 AND $3) IS NOT TRUE`,
      bindings: [siteId, low, high],
    },
  };
}

/** All rows of a table that all sites share. Read on the machine with the site's rows, to be as up to date as those. */
export const rowsOfShared = (table: CopiedTable, siteId: number | undefined): ComparedRows => ({
  table,
  title: 'all rows',
  copied: { text: 'true', bindings: [] },
  stored:
    siteId === undefined
      ? 'true'
      : `EXISTS (SELECT FROM analytics.site_version v WHERE v.site_id = ${siteId})`,
});

export const inCopy = ({ name }: CopiedTable): string => `analytics.${name}`;

export const removal = ({ table, copied: { text, bindings } }: ComparedRows): ColumnStatement => ({
  text: `DELETE FROM ${inCopy(table)} WHERE ${text}`,
  bindings,
});

function spanTitle({ unit }: CopiedTable, { low, high }: Span): string {
  const titleOf = (value: number) =>
    unit === 'day' ? new Date(value * DAY * 1000).toISOString().split('T', 1).join() : String(value);
  return low === high ? titleOf(low) : `${titleOf(low)} to ${titleOf(high)}`;
}

/** SQL for a copied row's day or id, as a number. Instants stay in seconds, so that DuckDB can use its zone maps. */
const inCopyUnit = ({ unitField: { name, kind } }: CopiedTable): string =>
  kind === 'date' ? `("${name}" - DATE '1970-01-01')` : `"${name}"`;

const unitBounds = ({ unitField }: CopiedTable, { low, high }: Span): Span =>
  unitField.kind === 'timestamp with time zone'
    ? { low: low * DAY, high: (high + 1) * DAY - 1 }
    : { low, high };

/** Compares the field itself, so that PostgreSQL can use an index. */
function unitCondition({ unitField: { name, kind } }: CopiedTable, span: Span): string {
  const { low, high } = { low: Math.trunc(span.low), high: Math.trunc(span.high) };
  switch (kind) {
    case 'timestamp with time zone':
      return `${name} >= to_timestamp(${low * DAY}) AND ${name} < to_timestamp(${(high + 1) * DAY})`;
    case 'date':
      return `${name} BETWEEN DATE '1970-01-01' + ${low} AND DATE '1970-01-01' + ${high}`;
    case 'smallint':
    case 'integer':
    case 'bigint':
      return `${name} BETWEEN ${low} AND ${high}`;
    case 'boolean':
    case 'text':
    case 'double precision':
    case 'jsonb':
      throw new Error(`Changes cannot be located by ${name}, which is ${kind}.`);
  }
}
