// What a query is run with: everything that the phases do not find in the query itself.

import type { ReadPool, Replicas, Telemetry } from '../../host-shim/extension-api';
import type { Manifest } from '../../manifests/reader/manifest';
import type { CompiledQuery, RowBatches } from '../language/types/compiled-query';
import type { Contract } from '../language/types/contract';
import type { AnsweredResult, HeldRows, RowStore } from '../language/types/query-result';
import type { HintFailures } from '../language/types/repair';
import type { ResolvedQuery, SiteState } from '../language/types/resolved-query';
import type { UniqueCounts } from '../language/types/unique-counts';

/** A site of the user, as it was a moment ago: newer than the request, older than its statement. */
export interface SiteAhead {
  readonly trackingId: string;
  readonly state: SiteState;
}

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
export interface ColumnReader {
  /** Why the copy cannot answer for sites of these data versions, as a sentence; undefined where it can. */
  whyNot(sites: readonly SiteVersion[]): string | undefined;
  /** Up to which instant, in epoch seconds, these counts of all of the sites hold: 0 for none, infinity for all rows. */
  countedUntil(counts: UniqueCounts, siteIds: readonly number[]): number;
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

export type InSpan = Telemetry['inSpan'];

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

export interface QueryContext extends HintFailures {
  readonly contract: Contract;
  readonly manifest: Manifest;
  /** Tracking ids that the user may see. */
  readonly sites: 'all' | readonly string[];
  /** Read-only connections. */
  readonly database: ReadPool;
  /** Whether the rows are divided by site over several machines. */
  readonly isDivided?: boolean | undefined;
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
  /** Count the rows of cut lists too, which costs reading them. */
  readonly alwaysCount: boolean;
  /** The rows are sent while they are read: in any number, with the number of all of them in the first one. */
  readonly isStreamed?: boolean | undefined;
  /** Where rows are kept that are not sent while they are read, and how many bytes of them an answer may have. */
  readonly store: RowStore;
  readonly mostAnswerBytes: number;
  /** Gets the answers of the column copy, a few of which it compares with rows. */
  readonly shadow?: ShadowReader | undefined;
  /** The state of the site that the query names, where it was read on the way here. */
  readonly siteAhead?: SiteAhead | undefined;
  /** Names of passes to leave out, for tests and to see what a pass does. */
  readonly withoutPasses?: readonly string[];
}
