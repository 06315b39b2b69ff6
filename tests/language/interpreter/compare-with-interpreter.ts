// Compares the program's answer to a query, planned in several ways, with the interpreter's answer.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { readDocument } from '../../../extension/language/parse/read-document';
import { PASSES, planQuery, planTraced } from '../../../extension/language/plan/plan-query';
import { compilePlan } from '../../../extension/language/sql/compile-plan';
import type { Engine } from '../../../extension/language/types/engine';
import type { WholeAnswer } from '../../../extension/language/types/query-result';
import type { ResolvedQuery } from '../../../extension/language/types/resolved-query';
import { finish } from '../../../extension/language/types/steps';
import { DIALECTS } from '../../../extension/query/engines';
import { loadScope } from '../../../extension/query/load-scope';
import type { QueryContext } from '../../../extension/query/query-context';
import { readKept, resultOf } from '../../../extension/query/read-result';
import { wholeAnswer } from '../../../extension/query/run-query';
import { understandQuery } from '../../../extension/query/understand-query';
import { openTestColumns, type TestColumns } from '../../support/columns';
import { createTestDatabase } from '../../support/database';
import { IS_LONG_RUN } from '../../support/long-run';
import { runWhole } from '../../support/run-whole';
import { createContext } from '../query-setup';
import { loadData } from './load-data';
import { randomData } from './random/random-data';
import { physicalIn } from './random/random-query';
import { type Samples, samplesOf } from './random/random-values';
import { TooLarge } from './reading/aggregates';
import { type Answer, interpret } from './reading/interpret';
import { TooMany } from './reading/join';
import { bodyOf, type Query } from './reading/query';
import type { Tables } from './reading/tables';

/** The request body sent to the program. */
function textOf(query: Query, { site }: Tables): string {
  const trackingId = site.find((it) => it.site_id === query.site)?.tracking_id ?? 'all';
  return bodyOf(query, trackingId, (name) => physicalIn(query.views, name));
}

/** The interpreter's answer. Null if it is too large for a test. */
export function expected(query: Query, tables: Tables): Answer | null {
  try {
    return interpret(query, tables);
  } catch (error) {
    if (error instanceof TooLarge || error instanceof TooMany) return null;
    throw error;
  }
}

/** A way to plan a query: with or without counting all rows, and with or without a pass. */
export interface Way extends Required<Pick<QueryContext, 'alwaysCount' | 'withoutPasses'>> {
  /** Whether to use the columnar copy, which must then either answer the query or report that it cannot do so exactly. */
  readonly onColumns?: true;
}

export const AS_PLANNED: readonly Way[] = [
  { alwaysCount: true, withoutPasses: [] },
  { alwaysCount: true, withoutPasses: [], onColumns: true },
];

/** The reason given when the columnar copy passes a query on to PostgreSQL. */
const INEXACT = 'The columnar copy could not compute the result exactly.';

/** All ways to plan a query. They must all return the same answer. */
export const EVERY_WAY: readonly Way[] = [
  ...AS_PLANNED,
  { alwaysCount: false, withoutPasses: [] },
  ...PASSES.map(({ name, only }): Way => {
    const way = { alwaysCount: true, withoutPasses: [name] };
    return only === 'columns' ? { ...way, onColumns: true } : way;
  }),
  { alwaysCount: true, withoutPasses: PASSES.map(({ name }) => name) },
  { alwaysCount: true, withoutPasses: PASSES.map(({ name }) => name), onColumns: true },
];

/** The normal plan on both engines and, in a long run, these other ways. */
export const inLongRun = (...ways: readonly Way[]): readonly Way[] =>
  IS_LONG_RUN ? [...AS_PLANNED, ...ways] : AS_PLANNED;

/** The plan without these passes. */
export const without = (...withoutPasses: readonly string[]): Way => ({ alwaysCount: true, withoutPasses });

interface Compared {
  readonly resolved: ResolvedQuery;
  /** The passes whose omission changed the statement. Only ways that omit a single pass are considered. */
  readonly fired: ReadonlySet<string>;
}

/**
 * Throws at the first difference, with the query and both answers. The first way for each engine must include all passes. The
 * very first way runs the query as the routes do. The others only read the result of the resolved query.
 */
export async function compareWithInterpreter(
  query: Query,
  answer: Answer,
  tables: Tables,
  given: QueryContext,
  ways: readonly Way[] = EVERY_WAY,
): Promise<Compared> {
  const sites = tables.site
    .filter(({ site_id }) => query.permitted.includes(site_id))
    .map(({ tracking_id }) => tracking_id);
  const context = { ...given, sites };
  const document = readDocument(textOf(query, tables));
  const wanted = {
    ...answer,
    truncated: !query.countOnly && answer.total > (query.offset ?? 0) + answer.rows.length,
  };
  const statements = new Set<string>();
  /** The statement with all passes, by engine. */
  const asPlanned = new Map<string, string>();
  const fired = new Set<string>();
  const { resolved } = await understandQuery(document, context, (it) => loadScope(it, context));
  for (const [index, way] of ways.entries()) {
    const { onColumns } = way;
    const wayContext = { ...context, ...way, columns: onColumns && context.columns };
    const engine = onColumns ? 'columns' : 'rows';
    try {
      // If an engine has only one way, there is no other statement to compare with.
      if (ways.some((other) => other !== way && other.onColumns === onColumns)) {
        const statement = statementOf(resolved, wayContext, engine);
        const planned = asPlanned.get(engine) ?? statement;
        asPlanned.set(engine, planned);
        const [pass, ...others] = way.withoutPasses;
        if (statement !== planned && pass !== undefined && others.length === 0) fired.add(pass);
        if (statements.has(statement)) continue;
        statements.add(statement);
      }
      const { answeredBy, columns, rows, count, totalCount, truncated } =
        index === 0 ? await runWhole(document, wayContext) : await resultOnly(resolved, wayContext);
      if (answeredBy.engine !== engine && answeredBy.because !== INEXACT) throw new Error(answeredBy.because);
      // The total is optional unless rows are counted.
      const total = count ?? totalCount ?? (way.alwaysCount ? null : answer.total);
      // The program also returns a count as a table with one cell, but the interpreter does not.
      const table = count === null ? { columns, rows } : { columns: [], rows: [] };
      const shown = { ...table, total, truncated };
      if (!isDeepStrictEqual(shown, wanted)) throw new Error(difference(wanted, shown));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${textOf(query, tables)}\nplanned with ${JSON.stringify(way)}\n${reason}`);
    }
  }
  return { resolved, fired };
}

function statementOf(resolved: ResolvedQuery, context: QueryContext, engine: Engine): string {
  const plan = finish(planQuery(resolved, { ...context, engine }));
  const options = { dialect: DIALECTS[engine], storage: context.manifest };
  return JSON.stringify(finish(compilePlan(plan, options)));
}

async function resultOnly(resolved: ResolvedQuery, context: QueryContext): Promise<WholeAnswer> {
  const { result } = await resultOf(resolved, context, readKept);
  return wholeAnswer({ ...result, cached: false, page: null, notes: [] });
}

/** For every other seed, queries are planned as if dimensions were large. */
export const withSizes = (columns: TestColumns, seed: number): TestColumns =>
  seed % 2 === 0 ? columns : { ...columns, dimensionRows: () => Number.POSITIVE_INFINITY };

/** Random queries on random data, both generated from the same seed. */
export interface ComparedQueries {
  readonly seed: number;
  readonly count: number;
  readonly queries: (tables: Tables, samples: Samples) => fc.Arbitrary<Query>;
  readonly ways: readonly Way[];
  /** How each query is planned when counting which passes fire. */
  readonly counted: Way;
}

/** Compares each query's answer with the interpreter's, on a new database. Returns the number of queries in which each pass fired. */
export async function compareQueries({
  seed,
  count,
  queries,
  ways,
  counted,
}: ComparedQueries): Promise<ReadonlyMap<string, number>> {
  const tables = randomData(seed);
  const database = await createTestDatabase();
  const fired = new Map<string, number>();
  let columns: TestColumns | undefined;
  try {
    await loadData(database.write, tables);
    columns = await openTestColumns(database, { isCounted: true });
    const context = await createContext(database, { columns: withSizes(columns, seed) });
    const check = async (query: Query): Promise<void> => {
      const answer = expected(query, tables);
      fc.pre(answer !== null);
      if (answer === null) return;
      const { resolved } = await compareWithInterpreter(query, answer, tables, context, ways);
      const passes = (['rows', 'columns'] as const).flatMap(
        (engine) => finish(planTraced(resolved, { ...context, ...counted, engine })).passes,
      );
      const names = passes.flatMap(({ name, did }) => (did === 'fired' ? [name] : []));
      for (const name of new Set(names)) fired.set(name, (fired.get(name) ?? 0) + 1);
    };
    await fc.assert(fc.asyncProperty(queries(tables, samplesOf(tables)), check), { seed, numRuns: count });
  } finally {
    await columns?.stop();
    await database.drop();
  }
  return fired;
}

type Shown = Answer & { readonly truncated: boolean };

/** Both answers, with up to five rows starting at the first one that differs. */
function difference(wanted: Shown, given: Omit<Shown, 'total'> & { readonly total: number | null }): string {
  const first = Math.max(
    0,
    wanted.rows.findIndex((row, index) => !isDeepStrictEqual(row, given.rows[index])),
  );
  const text = ({ rows, ...rest }: typeof given): string =>
    [JSON.stringify(rest), ...rows.slice(first, first + 5).map((row) => JSON.stringify(row))].join('\n  ');
  return `From row ${first}:\ninterpreter: ${text(wanted)}\nprogram: ${text(given)}`;
}
