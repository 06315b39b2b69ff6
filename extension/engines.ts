// The two engines that run a plan, and which one runs a query: the column copy where it is exactly as new as PostgreSQL.
import type { Dialect } from './qal/sql/dialect';
import { duckdb } from './qal/sql/dialects/duckdb';
import { postgresql } from './qal/sql/dialects/postgresql';
import type { Engine, EngineChoice, QueryContext } from './qal/types/query-context';
import type { QueriedSites } from './qal/types/resolved-query';

export const DIALECTS: Readonly<Record<Engine, Dialect>> = { rows: postgresql, columns: duckdb };

/** Chooses by the versions of the sites that this query was resolved with. */
export function chooseEngine(
  { states }: QueriedSites,
  { columns }: Pick<QueryContext, 'columns'>,
): EngineChoice {
  if (columns === undefined) return { engine: 'rows', because: 'There is no column copy here.' };
  const because = columns.whyNot(states);
  return because === undefined
    ? { engine: 'columns', because: 'The column copy is as new as the data.' }
    : { engine: 'rows', because };
}
