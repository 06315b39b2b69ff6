// The result of a resolved query: its rows, kept or sent while they are read, and their number, both of one state of the data.

import { type QueryError, queryError } from '../language/errors/query-error';
import { type ShapedRows, shapeRows } from '../language/shape/shape-rows';
import type { CompiledQuery } from '../language/types/compiled-query';
import type { Plan, PlanOutput } from '../language/types/plan';
import type {
  AnsweredResult,
  HeldRows,
  LiveRows,
  ResultHead,
  RowStore,
} from '../language/types/query-result';
import type { ResolvedQuery } from '../language/types/resolved-query';
import { chooseEngine } from './engines';
import { compileFor, type EngineContext, inSpan, readFromEngine } from './run/read-from-engine';

export interface ResultContext extends EngineContext, RowLimits {}

interface RowLimits {
  /** Keeps the rows that are not sent while they are read. */
  readonly store: RowStore;
  /** Of an answer whose rows are kept. */
  readonly mostAnswerBytes: number;
}

/** A result, and its statement. */
export interface Ran<Rows = HeldRows> {
  readonly sql: CompiledQuery;
  readonly result: AnsweredResult<Rows>;
}

/** How the rows of a statement, and rows that are already kept, are passed on. */
interface Reading<Rows> {
  take(shaped: ShapedRows, output: PlanOutput, limits: RowLimits): Promise<Taken<Rows>>;
  fromKept(kept: HeldRows): Promise<Rows>;
}

type Taken<Rows> = ResultHead & { readonly rows: Rows };

/** All of them are kept, up to the most bytes that an answer may have. */
export const readKept: Reading<HeldRows> = {
  async take({ head, rows, extent }, _output, { store, mostAnswerBytes }) {
    const kept = await store.keep(rows, mostAnswerBytes, () => answerTooLarge(mostAnswerBytes));
    return { ...head, ...extent(), rows: kept };
  },
  fromKept: async (kept) => kept,
};

/** The fault of a query whose answer has more bytes. */
export const answerTooLarge = (max: number): QueryError =>
  queryError('E_QUERY_TOO_LARGE answer', undefined, { max });

/** Where the total is known first, so is the number of rows. */
export const readAsSent: Reading<LiveRows> = {
  async take({ head, total: totalCount, rows, end }, { offset }) {
    const rowCount = head.count === null ? Math.min(Math.max(0, (totalCount ?? 0) - offset), head.limit) : 1;
    const truncated = head.count === null && (totalCount ?? 0) > offset + rowCount;
    const live = await begun(allRows(rows, rowCount, end));
    return { ...head, rowCount, totalCount, truncated, rows: live };
  },
  fromKept: (kept) => begun(sentFrom(kept)),
};

/** A generator that has not begun would not end what it reads from. */
async function begun(rows: LiveRows): Promise<LiveRows> {
  await rows.next();
  return rows;
}

/** An empty batch first. Throws at an end that comes too early: a failure may look like one. */
async function* allRows(rows: LiveRows, rowCount: number, end: () => Promise<unknown>): LiveRows {
  let given = 0;
  try {
    yield [];
    for await (const batch of rows) {
      given += batch.length;
      yield batch;
    }
  } finally {
    await end();
  }
  if (given !== rowCount) throw new Error(`An answer of ${rowCount} rows ended after ${given}.`);
}

/** An empty batch first. */
async function* sentFrom(kept: HeldRows): LiveRows {
  try {
    yield [];
    yield* kept.batches();
  } finally {
    kept.release();
  }
}

/** The column copy would sort such a list in the memory of this process. */
const isLongList = ({ counted, output }: Plan): boolean => counted !== null && output.limit > LONG_LIST;
const LONG_LIST = 50_000;
const IN_ORDER = { engine: 'rows', because: 'PostgreSQL reads long lists in their order.' } as const;

/** How often a page is read again because it is of another state than the total. */
const MOST_TRIES = 3;

/** The result with its total, where one is wanted: both are of one state of the data. */
export async function resultOf<Rows>(
  resolved: ResolvedQuery,
  context: ResultContext,
  reading: Reading<Rows>,
): Promise<Ran<Rows>> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const ran = await ofOneState(resolved, context, reading.take);
    if (ran !== undefined) return ran;
  }
  const { sql, result } = await inSnapshot(context, (snapshot) =>
    ofOneState(resolved, snapshot, readKept.take),
  );
  return { sql, result: { ...result, rows: await reading.fromKept(result.rows) } };
}

/** undefined for an empty page if rows were added before they were counted. */
async function ofOneState<Rows>(
  resolved: ResolvedQuery,
  context: ResultContext,
  take: Reading<Rows>['take'],
): Promise<Ran<Rows> | undefined> {
  const compiled = await inSpan(context, 'plan', async () => {
    const chosen = compileFor(chooseEngine(resolved, context), resolved, context);
    return context.isStreamed === true && isLongList(chosen.plan)
      ? compileFor(IN_ORDER, resolved, context)
      : chosen;
  });
  const { taken, answeredBy, sql } = await readFromEngine(
    compiled,
    resolved,
    context,
    async (fetched, { output }, note) => {
      try {
        const read = await take(await shapeRows(output, fetched), output, context);
        note({ 'qal.rows': read.rowCount });
        return read;
      } catch (error) {
        await fetched.return();
        throw error;
      }
    },
  );
  const result = { ...taken, answeredBy };
  const wantsTotal = context.alwaysCount || context.isStreamed === true;
  if (result.totalCount !== null || !wantsTotal) return { result, sql };
  // Beyond the end, no row has the total. If the count ends before the page too, both are of one state.
  const totalCount = await countRows(resolved, context);
  return totalCount <= resolved.offset ? { result: { ...result, totalCount }, sql } : undefined;
}

/** How many rows the list of a query has. */
async function countRows(resolved: ResolvedQuery, given: EngineContext): Promise<number> {
  const context = { ...given, isStreamed: false };
  const counting = compileFor(chooseEngine(resolved, context), { ...resolved, countOnly: true }, context);
  const { taken } = await readFromEngine(
    counting,
    { ...resolved, countOnly: true },
    context,
    (rows, { output }) => shapeRows(output, rows),
  );
  return taken.head.count ?? 0;
}

/** Runs work in a context whose statements all see the same rows: data may change faster than a page is read and counted. */
function inSnapshot<Result>(
  given: ResultContext,
  work: (context: ResultContext) => Promise<Result | undefined>,
): Promise<Result> {
  const { database, timeoutSeconds: seconds, signal, isStreamed, mostAnswerBytes } = given;
  return database.withConnection({ seconds, signal }, async (connection, stream) => {
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      const result = await work({
        ...given,
        database: { ...database, withConnection: (_patience, use) => use(connection, stream) },
        ...{ columns: undefined, replicas: undefined },
        // Its rows are kept, since they outlive the connection.
        ...{ isStreamed: false, alwaysCount: true },
        mostAnswerBytes: isStreamed === true ? Number.POSITIVE_INFINITY : mostAnswerBytes,
      });
      if (result === undefined) throw new Error('A page and its count saw different rows in one snapshot.');
      return result;
    } finally {
      await connection.query('COMMIT');
    }
  });
}
