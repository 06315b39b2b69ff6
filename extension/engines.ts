// The two engines that run a plan, and which one runs a query: the column copy where it is exactly as new as PostgreSQL.
import type { Dialect } from './qal/sql/dialect';
import { duckdb } from './qal/sql/dialects/duckdb';
import { postgresql } from './qal/sql/dialects/postgresql';
import type { Engine, EngineChoice } from './qal/types/engine';
import type { QueryContext } from './qal/types/query-context';
import type { ResolvedQuery } from './qal/types/resolved-query';

export const DIALECTS: Readonly<Record<Engine, Dialect>> = { rows: postgresql, columns: duckdb };

/** Chooses by the versions of the sites that this query was resolved with. */
export function chooseEngine(
  { scope, isVersioned }: Pick<ResolvedQuery, 'scope' | 'isVersioned'>,
  { columns }: Pick<QueryContext, 'columns'>,
): EngineChoice {
  if (!isVersioned) return { engine: 'rows', because: 'Records of queries are not in the column copy.' };
  if (columns === undefined) return { engine: 'rows', because: 'There is no column copy here.' };
  const because = columns.whyNot(scope.states);
  return because === undefined
    ? { engine: 'columns', because: 'The column copy is as new as the data.' }
    : { engine: 'rows', because };
}
