// Counts in PostgreSQL, which all servers share and which survive restarts. A window begins with its first count and never lasts
// longer than its seconds, even if the clock is set back.
import type { Knex } from 'knex';
import { queryPrepared } from '../../db/query-prepared';
import type { Clock } from '../extension-api';

export interface CountedWindow {
  readonly name: string;
  readonly seconds: number;
  readonly most: number;
}

export interface WindowState {
  readonly count: number;
  /** Time until the window ends; its full length if nothing was counted. */
  readonly milliseconds: number;
}

interface WindowCounts {
  /** Adds one to each window, or to none if one of them is full. Returns the states in the order of the windows. */
  add(
    windows: readonly CountedWindow[],
  ): Promise<{ readonly added: boolean; readonly states: readonly WindowState[] }>;
  read(windows: readonly CountedWindow[]): Promise<readonly WindowState[]>;
}

export interface CountTools {
  readonly write: Knex;
  readonly clock: Clock;
}

interface CountRow {
  readonly count: number;
  readonly milliseconds: number;
  readonly added: boolean;
  /** The stored end is too far in the future, because the clock was set back. */
  readonly is_late: boolean;
}

const END_IN_TIME = `UPDATE host.window_count SET ends_at = moment + seconds * interval '1 second'
  FROM (SELECT ?::timestamptz AS moment) t
  WHERE ends_at > moment + seconds * interval '1 second'`;

const PRUNE_MS = 600_000;

const ASKED = `asked AS (
  SELECT * FROM unnest($1::text[], $2::int[], $3::int[]) WITH ORDINALITY AS a(name, seconds, most, place),
    LATERAL (SELECT $4::timestamptz AS moment, $4::timestamptz + seconds * interval '1 second' AS latest) t),
found AS (
  SELECT name, seconds, most, c.count, least(c.ends_at, latest) AS ends_at, c.ends_at > latest AS is_late
  FROM asked JOIN host.window_count c USING (name, seconds) WHERE c.ends_at > moment)`;

const state = (source: string, added: string) =>
  `SELECT coalesce(${source}.count, found.count, 0) AS count, ${added} AS added,
     extract(epoch FROM coalesce(${source}.ends_at, found.ends_at, latest) - moment)::float8 * 1000 AS milliseconds, coalesce(found.is_late, false) AS is_late
   FROM asked LEFT JOIN found USING (name, seconds)`;

const READ = {
  name: 'read-windows',
  text: `WITH ${ASKED} ${state('found', 'false')} ORDER BY place`,
};

// Ordered by key, so that concurrent calls cannot deadlock. Requests do not wait for the disk: losing the last counts in a crash is
// acceptable.
const ADD = {
  name: 'add-to-windows',
  text: `WITH ${ASKED},
unsynced AS (SELECT set_config('synchronous_commit', 'off', true)),
added AS (
  INSERT INTO host.window_count AS c (name, seconds, count, ends_at)
  SELECT name, seconds, 1, latest FROM asked, unsynced
  WHERE NOT EXISTS (SELECT FROM found WHERE count >= most)
  ORDER BY name, seconds
  ON CONFLICT (name, seconds) DO UPDATE SET
    count = CASE WHEN c.ends_at > excluded.ends_at - c.seconds * interval '1 second' THEN c.count + 1 ELSE 1 END,
    ends_at = CASE WHEN c.ends_at > excluded.ends_at - c.seconds * interval '1 second'
      THEN least(c.ends_at, excluded.ends_at) ELSE excluded.ends_at END
  RETURNING name, seconds, count, ends_at)
${state('added', 'added.name IS NOT NULL')} LEFT JOIN added USING (name, seconds) ORDER BY place`,
};

export function createWindowCounts({ write, clock }: CountTools): WindowCounts {
  let prunedAt = 0;

  async function run(
    statement: typeof ADD,
    windows: readonly CountedWindow[],
    now: Date,
  ): Promise<readonly CountRow[]> {
    const names = windows.map(({ name }) => name);
    const seconds = windows.map((window) => window.seconds);
    const most = windows.map((window) => window.most);
    const rows = await queryPrepared<CountRow>(write, { ...statement, values: [names, seconds, most, now] });
    if (rows.some(({ is_late }) => is_late)) await write.raw(END_IN_TIME, [now]);
    return rows;
  }

  async function prune(now: Date): Promise<void> {
    if (Math.abs(now.getTime() - prunedAt) < PRUNE_MS) return;
    prunedAt = now.getTime();
    await write.raw('DELETE FROM host.window_count WHERE ends_at <= ?', [now]);
  }

  return {
    async add(windows) {
      const now = clock();
      const states = await run(ADD, windows, now);
      await prune(now);
      return { added: states.some(({ added }) => added), states };
    },
    read: (windows) => run(READ, windows, clock()),
  };
}
