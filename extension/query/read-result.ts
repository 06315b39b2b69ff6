// Reads the result of a resolved query: its rows, and their total from the same state of the data.
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
  readonly store: RowStore;
  readonly maxAnswerBytes: number;
}

export interface Ran<Rows = HeldRows> {
  readonly sql: CompiledQuery;
  readonly result: AnsweredResult<Rows>;
}

interface Reading<Rows> {
  take(
    shaped: ShapedRows,
    output: PlanOutput,
    limits: RowLimits,
  ): Promise<ResultHead & { readonly rows: Rows }>;
  fromKept(kept: HeldRows): Promise<Rows>;
}

export const readKept: Reading<HeldRows> = {
  async take({ head, rows, extent }, _output, { store, maxAnswerBytes }) {
    const kept = await store.keep(rows, maxAnswerBytes, () => answerTooLarge(maxAnswerBytes));
    return { ...head, ...extent(), rows: kept };
  },
  fromKept: async (kept) => kept,
};

export const answerTooLarge = (max: number): QueryError =>
  queryError('E_QUERY_TOO_LARGE answer', undefined, { max });

/** Returns rows that are read while they are sent. If the total is known in advance, so is the number of rows. */
export const readAsSent: Reading<LiveRows> = {
  async take({ head, total: totalCount, rows, end }, { offset }) {
    const rowCount = head.count === null ? Math.min(Math.max(0, (totalCount ?? 0) - offset), head.limit) : 1;
    const truncated = head.count === null && (totalCount ?? 0) > offset + rowCount;
    const live = await begun(allRows(rows, rowCount, end));
    return { ...head, rowCount, totalCount, truncated, rows: live };
  },
  fromKept: (kept) => begun(sentFrom(kept)),
};

/** Starts the generator: otherwise, its `return` would skip the `finally` that ends the statement. */
async function begun(rows: LiveRows): Promise<LiveRows> {
  await rows.next();
  return rows;
}

/** Yields an empty batch first. Throws if rows are missing, because a failure may look like the end of the rows. */
async function* allRows(rows: LiveRows, rowCount: number, end: () => Promise<unknown>): LiveRows {
  let count = 0;
  try {
    yield [];
    for await (const batch of rows) {
      count += batch.length;
      yield batch;
    }
  } finally {
    await end();
  }
  if (count !== rowCount) throw new Error(`An answer with ${rowCount} rows ended after ${count}.`);
}

/** Yields an empty batch first. */
async function* sentFrom(kept: HeldRows): LiveRows {
  try {
    yield [];
    yield* kept.batches();
  } finally {
    kept.release();
  }
}

/** The columnar copy would sort a long list in this process's memory. */
const isLongList = ({ counted, output }: Plan): boolean => counted !== null && output.limit > LONG_LIST;
const LONG_LIST = 50_000;
const IN_ORDER = { engine: 'rows', because: 'PostgreSQL reads long lists in sorted order.' } as const;

/** If a page and its total come from different states of the data this many times, both are read in one snapshot. */
const MAX_TRIES = 3;

export async function resultOf<Rows>(
  resolved: ResolvedQuery,
  context: ResultContext,
  reading: Reading<Rows>,
): Promise<Ran<Rows>> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const ran = await ofOneState(resolved, context, reading.take);
    if (ran !== undefined) return ran;
  }
  const { sql, result } = await inSnapshot(context, (snapshot) =>
    ofOneState(resolved, snapshot, readKept.take),
  );
  return { sql, result: { ...result, rows: await reading.fromKept(result.rows) } };
}

/** Returns undefined for an empty page if rows were added before they were counted. */
async function ofOneState<Rows>(
  resolved: ResolvedQuery,
  context: ResultContext,
  take: Reading<Rows>['take'],
): Promise<Ran<Rows> | undefined> {
  const compiled = await inSpan(context, 'plan', async () => {
    const chosen = await compileFor(chooseEngine(resolved, context), resolved, context);
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
  // A page beyond the end has no row to carry the total. If a count confirms that it is beyond the end, page and total agree.
  const totalCount = await countRows(resolved, context);
  return totalCount <= resolved.offset ? { result: { ...result, totalCount }, sql } : undefined;
}

async function countRows(listed: ResolvedQuery, given: EngineContext): Promise<number> {
  const context = { ...given, isStreamed: false };
  const resolved = { ...listed, countOnly: true };
  const counting = await compileFor(chooseEngine(resolved, context), resolved, context);
  const { taken } = await readFromEngine(counting, resolved, context, (rows, { output }) =>
    shapeRows(output, rows),
  );
  return taken.head.count ?? 0;
}

/** Runs work in a context in which all statements see the same rows. */
function inSnapshot<Result>(
  given: ResultContext,
  work: (context: ResultContext) => Promise<Result | undefined>,
): Promise<Result> {
  const { database, timeoutSeconds: seconds, signal, isStreamed, maxAnswerBytes } = given;
  return database.withConnection({ seconds, signal }, async (connection, stream) => {
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      const result = await work({
        ...given,
        database: { ...database, withConnection: (_patience, use) => use(connection, stream) },
        columns: undefined,
        replicas: undefined,
        // The rows are stored because they outlive the connection.
        isStreamed: false,
        alwaysCount: true,
        maxAnswerBytes: isStreamed === true ? Number.POSITIVE_INFINITY : maxAnswerBytes,
      });
      if (result === undefined) throw new Error('A page and its count saw different rows in one snapshot.');
      return result;
    } finally {
      await connection.query('COMMIT');
    }
  });
}
