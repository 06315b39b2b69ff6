// Stores the counts in PostgreSQL, so that all servers share them and they survive restarts. A window begins with its first count
// and never lasts longer than `seconds`, even if the clock is set back.
import type { Knex } from 'knex';
import { queryPrepared } from '../../db/query-prepared';
import type { CallerAhead, Clock } from '../extension-api';

export interface CountedWindow {
  readonly name: string;
  readonly seconds: number;
  readonly max: number;
}

export interface WindowState {
  readonly count: number;
  /** Time until the window ends; its full length if nothing was counted. */
  readonly milliseconds: number;
}

/** A condition on other tables. Conditions with the same `name` must have the same `sql`. */
export interface Condition {
  readonly name: string;
  readonly values: readonly string[];
  sql(...values: readonly string[]): string;
}

/** Other parts of the counting statement. If `only` does not hold, the statement neither counts nor reads. */
interface Extras {
  readonly only?: Condition | undefined;
  readonly ahead?: CallerAhead | undefined;
}

interface Added {
  readonly added: boolean;
  readonly states: readonly WindowState[];
  /** Whether `only` holds. */
  readonly holds: boolean;
  /** The result of `ahead`. */
  readonly ahead: unknown;
}

interface WindowCounts {
  /** Adds one to each window, or to none if one of them is full. Returns the states in the order of the windows. */
  add(windows: readonly CountedWindow[], extras?: Extras): Promise<Added>;
  read(windows: readonly CountedWindow[]): Promise<readonly WindowState[]>;
}

export interface CountTools {
  readonly write: Knex;
  readonly clock: Clock;
}

interface CountRow {
  readonly holds: boolean;
  readonly ahead: unknown;
  /** Null if there are no windows. */
  readonly count: number | null;
  readonly milliseconds: number;
  readonly added: boolean;
  /** The stored end is too far in the future, because the clock was set back. */
  readonly is_late: boolean;
}

const SHORTEN_WINDOWS = `UPDATE host.window_count SET ends_at = moment + seconds * interval '1 second'
  FROM (SELECT ?::timestamptz AS moment) t
  WHERE ends_at > moment + seconds * interval '1 second'`;

const PRUNE_MS = 600_000;

const ASKED = `asked AS (
  SELECT * FROM unnest($1::text[], $2::int[], $3::int[]) WITH ORDINALITY AS a(name, seconds, max_count, place),
    LATERAL (SELECT $4::timestamptz AS moment, $4::timestamptz + seconds * interval '1 second' AS latest) t),
found AS (
  SELECT name, seconds, max_count, c.count, least(c.ends_at, latest) AS ends_at, c.ends_at > latest AS is_late
  FROM asked JOIN host.window_count c USING (name, seconds) WHERE c.ends_at > moment)`;

const state = (source: string, added: string) =>
  `SELECT place, coalesce(${source}.count, found.count, 0) AS count, ${added} AS added,
     extract(epoch FROM coalesce(${source}.ends_at, found.ends_at, latest) - moment)::float8 * 1000 AS milliseconds, coalesce(found.is_late, false) AS is_late
   FROM asked LEFT JOIN found USING (name, seconds)`;

const READ = { name: 'read-windows', added: '', states: state('found', 'false') };

// Ordered by key, so that concurrent calls cannot deadlock. Requests do not wait for the disk: losing the last counts in a crash
// is acceptable.
const ADD = {
  name: 'add-to-windows',
  added: `,
unsynced AS (SELECT set_config('synchronous_commit', 'off', true)),
added AS (
  INSERT INTO host.window_count AS c (name, seconds, count, ends_at)
  SELECT name, seconds, 1, latest FROM asked, unsynced, condition
  WHERE holds AND NOT EXISTS (SELECT FROM found WHERE count >= max_count)
  ORDER BY name, seconds
  ON CONFLICT (name, seconds) DO UPDATE SET
    count = CASE WHEN c.ends_at > excluded.ends_at - c.seconds * interval '1 second' THEN c.count + 1 ELSE 1 END,
    ends_at = CASE WHEN c.ends_at > excluded.ends_at - c.seconds * interval '1 second'
      THEN least(c.ends_at, excluded.ends_at) ELSE excluded.ends_at END
  RETURNING name, seconds, count, ends_at)`,
  states: `${state('added', 'added.name IS NOT NULL')} LEFT JOIN added USING (name, seconds)`,
};

const FIRST_PLACEHOLDER = 5;
const placeholders = (values: readonly unknown[], first: number) =>
  values.map((_, index) => `$${first + index}`);

function textOf({ added, states }: typeof ADD, { only, ahead }: Extras): string {
  const { values = [], sql = () => 'true' } = only ?? {};
  const read =
    ahead === undefined ? 'NULL' : `(${ahead.select(`$${FIRST_PLACEHOLDER + values.length}::text[]`)})`;
  return `WITH condition AS (SELECT ${sql(...placeholders(values, FIRST_PLACEHOLDER))} AS holds),
${ASKED}${added}
SELECT holds, CASE WHEN holds AND coalesce(place, 1) = 1 THEN ${read} END AS ahead, count, added, milliseconds, is_late
  FROM condition LEFT JOIN (${states}) states ON true ORDER BY place`;
}

export function createWindowCounts({ write, clock }: CountTools): WindowCounts {
  let prunedAt = 0;

  /** The text of each prepared statement. */
  const texts = new Map<string, string>();

  async function run(
    base: typeof ADD,
    windows: readonly CountedWindow[],
    now: Date,
    extras: Extras = {},
  ): Promise<readonly CountRow[]> {
    const { only, ahead } = extras;
    const name = [base.name, only?.name, ahead?.name].join(' ');
    const text = texts.get(name) ?? textOf(base, extras);
    texts.set(name, text);
    const values = [
      windows.map((window) => window.name),
      windows.map(({ seconds }) => seconds),
      windows.map(({ max }) => max),
      now,
      ...(only?.values ?? []),
      ...(ahead === undefined ? [] : [ahead.texts()]),
    ];
    const rows = await queryPrepared<CountRow>(write, { name, text, values });
    if (rows.some(({ is_late }) => is_late)) await write.raw(SHORTEN_WINDOWS, [now]);
    return rows;
  }

  async function prune(now: Date): Promise<void> {
    if (Math.abs(now.getTime() - prunedAt) < PRUNE_MS) return;
    prunedAt = now.getTime();
    await write.raw('DELETE FROM host.window_count WHERE ends_at <= ?', [now]);
  }

  return {
    async add(windows, extras) {
      const now = clock();
      const rows = await run(windows.length === 0 ? READ : ADD, windows, now, extras);
      await prune(now);
      const [first] = rows;
      return {
        added: rows.some(({ added }) => added),
        states: statesOf(rows),
        holds: first?.holds === true,
        ahead: first?.ahead ?? undefined,
      };
    },
    read: async (windows) => statesOf(await run(READ, windows, clock())),
  };
}

const statesOf = (rows: readonly CountRow[]): readonly WindowState[] =>
  rows.flatMap(({ count, milliseconds }) => (count === null ? [] : [{ count, milliseconds }]));
