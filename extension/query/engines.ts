// Chooses the engine for a query: the columnar copy if it is up to date for the queried sites, or else PostgreSQL.
import type { Dialect } from '../language/sql/dialect';
import { duckdb, duckdbForLarge } from '../language/sql/dialects/duckdb';
import { postgresql } from '../language/sql/dialects/postgresql';
import type { Engine, EngineChoice } from '../language/types/engine';
import type { ResolvedQuery } from '../language/types/resolved-query';
import type { ColumnReader } from './column-reader';

export const DIALECTS: Readonly<Record<Engine, Dialect>> = { rows: postgresql, columns: duckdb };
export const DIALECTS_FOR_LARGE: typeof DIALECTS = { ...DIALECTS, columns: duckdbForLarge };

export function chooseEngine(
  { scope, isVersioned }: Pick<ResolvedQuery, 'scope' | 'isVersioned'>,
  { columns }: { readonly columns?: ColumnReader | undefined },
): EngineChoice {
  if (!isVersioned) return { engine: 'rows', because: 'Query records are not in the columnar copy.' };
  if (columns === undefined) return { engine: 'rows', because: 'This server has no columnar copy.' };
  const because = columns.whyNot(scope.states);
  return because === undefined
    ? { engine: 'columns', because: 'The columnar copy is up to date.' }
    : { engine: 'rows', because };
}
