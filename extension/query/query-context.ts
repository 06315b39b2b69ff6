// What a query is run with: everything that the phases do not find in the query itself.
import type { Replicas, Telemetry } from '../../host-shim/extension-api';
import type { SitesReader } from '../data/storage/sites/site-states';
import type { CountOptions } from '../language/plan/lower-query';
import type { PlanOptions, PreparedCounts } from '../language/plan/plan-query';
import type { Catalogue } from '../language/resolve/resolve-materials';
import type { CompiledQuery, RowBatches } from '../language/types/compiled-query';
import type { AnsweredResult, HeldRows, RowStore } from '../language/types/query-result';
import type { HintFailures } from '../language/types/repair';
import type { ResolvedQuery, SiteState } from '../language/types/resolved-query';

export type ColumnsOutcome<Taken> =
  | { readonly taken: Taken }
  /** Why the rows must answer: a sentence. */
  | { readonly gaveUp: string };

/** The column copy failed after its first rows: its message is the sentence. */
export class GaveUp extends Error {
  override readonly name = 'GaveUp';
}

type SiteVersion = Pick<SiteState, 'siteId' | 'version'>;

/** The column copy, as far as a query reads it. */
export interface ColumnReader extends PreparedCounts {
  /** Why the copy cannot answer for sites of these data versions, as a sentence; undefined where it can. */
  whyNot(sites: readonly SiteVersion[]): string | undefined;
  /**
   * The rows of a statement over sites of these data versions, with the first batch read. Rejects with the signal's reason when
   * it is aborted, and with a RangeError for a whole number that JSON would round; so does the iteration, which throws GaveUp too.
   */
  read(
    statement: CompiledQuery,
    sites: readonly SiteVersion[],
    signal: AbortSignal,
  ): Promise<{ readonly rows: RowBatches } | { readonly gaveUp: string }>;
}

/** The queue of queries, as the user who asks is in it. Both reject with E_UNAVAILABLE when no place is free in time. */
export interface UserQueue {
  /** Waits for a place to run a statement, and returns what leaves it. */
  enter(signal: AbortSignal): Promise<() => void>;
  /** The result of `work`, or of equal work of this key that waits or runs. Rejects with the signal's reason when that aborts. */
  share(
    key: string | undefined,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<AnsweredResult<HeldRows>>,
  ): Promise<AnsweredResult<HeldRows>>;
}

/** Runs everything at once. */
export const NO_QUEUE: UserQueue = {
  enter: async () => () => {},
  share: (_key, signal, work) => work(signal),
};

type InSpan = Telemetry['inSpan'];

/** A result, and the statement that it came from. */
export interface Ran<Rows = HeldRows> {
  readonly sql: CompiledQuery;
  readonly result: AnsweredResult<Rows>;
}

/** A query that the column copy answered, and how to run it again in another context; who does releases the rows. */
export interface AnsweredByColumns {
  readonly resolved: ResolvedQuery;
  readonly context: QueryContext;
  readonly columns: Ran;
  readonly fromRows: (context: QueryContext) => Promise<Ran>;
}

export interface ShadowReader {
  /** Holds the rows of the answer as long as it needs them. */
  answered(answer: AnsweredByColumns): void;
}

export interface QueryContext
  extends HintFailures,
    Catalogue,
    SitesReader,
    CountOptions,
    Pick<PlanOptions, 'isDivided' | 'withoutPasses'> {
  /** Asked for rows instead of `database`, where they have the sites in exactly the versions of the query. */
  readonly replicas?: Replicas | undefined;
  /** undefined = every query is answered from rows. */
  readonly columns?: ColumnReader | undefined;
  /** Time zone names that a query may use. */
  readonly zones: ReadonlySet<string>;
  readonly timeoutSeconds: number;
  /** Of the time limit: what an engine took that gave up. */
  readonly secondsSpent?: number | undefined;
  readonly queue: UserQueue;
  /** Tells who watches how long each part takes. */
  readonly inSpan?: InSpan | undefined;
  readonly signal: AbortSignal;
  /** Where rows are kept that are not sent while they are read, and how many bytes of them an answer may have. */
  readonly store: RowStore;
  readonly mostAnswerBytes: number;
  /** Gets the answers of the column copy, a few of which it compares with rows. */
  readonly shadow?: ShadowReader | undefined;
}
