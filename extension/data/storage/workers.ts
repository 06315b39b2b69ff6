// Watches the workers of a Citus cluster. A worker that does not respond affects only its own sites: anything that reads or
// changes them fails immediately instead of waiting, and statements on all sites leave them out.
import { DatabaseError } from 'pg';
import {
  type Log,
  type Queryable,
  type ReadPool,
  waitOrStop,
  workerAway,
} from '../../../host-shim/extension-api';

interface AwayWorker {
  /** `10.0.0.3:5432` */
  readonly place: string;
  /** The tracking ids of its sites. */
  readonly sites: readonly string[];
}

/** All sites, the reachable ones, or the ones with these ids. */
export type GuardedSites = readonly number[] | 'reachable' | 'all';

export interface Workers {
  /** As of the last check; empty without Citus. */
  readonly places: readonly string[];
  readonly away: readonly AwayWorker[];
  /**
   * The ids of the sites whose worker responds; null while all workers respond.
   * For statements: `$1::int[] IS NULL OR site_id = ANY($1)`.
   */
  readonly reachable: readonly number[] | null;
  isAway(siteId: number): boolean;
  /** Throws WorkerUnavailable if one of these sites is on a worker that does not respond. */
  check(siteIds: GuardedSites): void;
  checkSite(trackingId: string): void;
  /** A signal that is aborted when a worker of these sites stops responding, with a WorkerUnavailable as its reason. */
  guard(siteIds: GuardedSites): AbortSignal;
}

/** The name marks the error as a temporary failure. */
export class WorkerUnavailable extends Error {
  override readonly name = 'WorkerUnavailable';
  constructor(readonly place: string) {
    super(workerAway(place));
  }
}

const NEVER = new AbortController().signal;

/** For a database on a single machine. */
export const NO_WORKERS: Workers = {
  places: [],
  away: [],
  reachable: null,
  isAway: () => false,
  check() {},
  checkSite() {},
  guard: () => NEVER,
};

interface WorkerNode {
  readonly group: number;
  readonly host: string;
  readonly port: number;
  readonly isActive: boolean;
}

const NODES = `SELECT groupid AS "group", nodename AS host, nodeport AS port, isactive AS "isActive"
  FROM pg_dist_node WHERE noderole = 'primary' AND groupid > 0 ORDER BY groupid`;

/** Opens a new connection from the coordinator. */
const RESPONDS = 'SELECT citus_check_connection_to_node($1, $2) AS yes';

const SITES = `SELECT p.groupid AS "group", s.site_id AS "siteId", s.tracking_id AS "trackingId" FROM analytics.site s
  JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('analytics.site_version', s.site_id)
 ORDER BY s.tracking_id`;

interface PlacedSite {
  readonly group: number;
  readonly siteId: number;
  readonly trackingId: string;
}

const LOOK_EVERY_MS = 2_000;
const RESPONSE_SECONDS = 2;
/** A worker that is merely slow may miss one attempt. A refused connection is treated as a failure immediately. */
const TRIES = 2;
/** While a worker does not respond, statements without a time limit that have run this long are probably waiting for it. */
const STUCK_SECONDS = 5;

interface WatcherOptions {
  readonly read: ReadPool;
  readonly log: Log;
  readonly everyMs?: number;
}

export function createWorkers() {
  const guards = new Map<number | 'any', AbortController>();
  let places: Workers['places'] = [];
  let away: Workers['away'] = [];
  let reachable: Workers['reachable'] = null;
  let placeOfSite: ReadonlyMap<number, string> = new Map();
  let watching: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

  /** Uses a separate connection, since those in the pool may all be waiting for a worker. */
  const look = ({ read, log }: Pick<WatcherOptions, 'read' | 'log'>): Promise<void> =>
    read.apart(RESPONSE_SECONDS, async (connection) => {
      const { rows: nodes } = await connection.query<WorkerNode>(NODES);
      const gone: WorkerNode[] = [];
      for (const node of nodes) {
        const wasAway = away.some(({ place }) => place === placeOf(node));
        if (!(await responds(node, connection, wasAway ? 1 : TRIES))) gone.push(node);
      }
      const before = away;
      settle(nodes, gone, gone.length === 0 ? [] : (await connection.query<PlacedSite>(SITES)).rows);
      for (const { place } of newlyAway(before)) giveUp('any', place);
      if (gone.length > 0) read.dropStuck(STUCK_SECONDS);
      report(log, before);
    });

  function settle(
    nodes: readonly WorkerNode[],
    gone: readonly WorkerNode[],
    sites: readonly PlacedSite[],
  ): void {
    const goneOf = new Map(gone.map((node) => [node.group, placeOf(node)]));
    const lost = sites.flatMap(({ group, ...site }) => {
      const place = goneOf.get(group);
      return place === undefined ? [] : [{ ...site, place }];
    });
    places = nodes.map(placeOf);
    placeOfSite = new Map(lost.map(({ siteId, place }) => [siteId, place]));
    reachable =
      gone.length === 0 ? null : sites.flatMap(({ siteId }) => (placeOfSite.has(siteId) ? [] : [siteId]));
    away = gone.map(placeOf).map((place) => ({
      place,
      sites: lost.filter((site) => site.place === place).map(({ trackingId }) => trackingId),
    }));
    for (const { siteId, place } of lost) giveUp(siteId, place);
  }

  const newlyAway = (before: readonly AwayWorker[]) =>
    away.filter(({ place }) => !before.some((one) => one.place === place));

  function report(log: Log, before: readonly AwayWorker[]): void {
    for (const { place, sites } of newlyAway(before))
      log.warn({ worker: place, sites }, `${workerAway(place)} Its sites are unavailable.`);
    for (const { place, sites } of before)
      if (!away.some((one) => one.place === place))
        log.info({ worker: place, sites }, `The Citus worker ${place} responds again.`);
  }

  function check(siteIds: GuardedSites): void {
    if (siteIds === 'reachable') return;
    const lost =
      siteIds === 'all' ? away.map(({ place }) => place) : siteIds.map((id) => placeOfSite.get(id));
    const place = lost.find((one) => one !== undefined);
    if (place !== undefined) throw new WorkerUnavailable(place);
  }

  function checkSite(trackingId: string): void {
    const worker = away.find(({ sites }) => sites.includes(trackingId));
    if (worker !== undefined) throw new WorkerUnavailable(worker.place);
  }

  function guardOf(site: number | 'any'): AbortSignal {
    const guard = guards.get(site) ?? new AbortController();
    guards.set(site, guard);
    return guard.signal;
  }

  function giveUp(site: number | 'any', place: string): void {
    guards.get(site)?.abort(new WorkerUnavailable(place));
    guards.delete(site);
  }

  const workers: Workers = {
    get places() {
      return places;
    },
    get away() {
      return away;
    },
    get reachable() {
      return reachable;
    },
    isAway: (siteId) => placeOfSite.has(siteId),
    check,
    checkSite,
    guard(siteIds) {
      if (places.length === 0) return NEVER;
      check(siteIds);
      return typeof siteIds === 'string' ? guardOf('any') : AbortSignal.any(siteIds.map(guardOf));
    },
  };

  return {
    workers,
    look,
    /** Checks every two seconds until `stop`. */
    start({ everyMs = LOOK_EVERY_MS, ...options }: WatcherOptions): void {
      if (watching !== undefined) return;
      const stop = new AbortController();
      const ended = (async () => {
        while (!stop.signal.aborted) {
          // If the coordinator does not respond, nothing works, and other checks report that.
          await look(options).catch(() => undefined);
          await waitOrStop(everyMs, stop.signal);
        }
      })();
      watching = { stop, ended };
    },
    async stop(): Promise<void> {
      watching?.stop.abort();
      await watching?.ended;
      watching = undefined;
    },
  };
}

export type WorkerWatcher = ReturnType<typeof createWorkers>;

const QUERY_CANCELED = '57014';

const placeOf = ({ host, port }: Pick<WorkerNode, 'host' | 'port'>): string => `${host}:${port}`;

async function responds(
  { host, port, isActive }: WorkerNode,
  connection: Queryable,
  tries: number,
): Promise<boolean> {
  for (let left = isActive ? tries : 0; left > 0; left -= 1) {
    try {
      const { rows } = await connection.query<{ yes: boolean }>(RESPONDS, [host, port]);
      return rows[0]?.yes === true;
    } catch (error) {
      if (!(error instanceof DatabaseError && error.code === QUERY_CANCELED)) throw error;
    }
  }
  return false;
}
