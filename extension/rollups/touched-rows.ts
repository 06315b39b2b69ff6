// Owns which counts an import must compute again: the hours of the rows that it adds or changes, noted as they pass.
// Rows on days before the last one of before concern later days too, where their visits and visitors are found again:
// these are remembered in temporary tables. A site without counts notes nothing, unless all of it is new.
import type { ClientBase } from 'pg';
import { COUNTED_FIELDS } from '../../manifests/reader/rollups';
import { dayBounds } from '../time/local-days';
import { instant } from './local-day';
import { type RollupState, storedState } from './rollup-state';

export const NOTED_SECONDS = 3600;

/** So many hours are more than a file of any use has; then everything is computed again. */
const MOST_HOURS = 200_000;

/** What was noted, as the counts are refreshed by it. */
export interface NotedRows {
  /** What was known of the counts before the rows came; undefined where there were none. */
  readonly state: RollupState | undefined;
  /** By material: the numbers of hours since 1970 in which rows were added or changed. */
  readonly hours: ReadonlyMap<string, ReadonlySet<number>>;
  /** Whether rows lie on days before the last one: the values of their counted fields are in `lateTable`. */
  hasLate(): boolean;
  /** How many seconds a row lies behind the beginning of its view at most. */
  longestClick(): number;
}

export interface TouchedRows extends NotedRows {
  /** `none`: the site has no counts; `all`: no note says what is the same. */
  extent(): 'none' | 'some' | 'all';
  /** Takes note of a row that is written at an instant; `fieldOf` gives its counted fields, where it has such. */
  note(material: string, at: number, fieldOf?: (field: string) => number): void;
  /** Takes note of how far a row lies behind the beginning of its view. */
  noteDelay(seconds: number): void;
  /** Writes down what waits; call it once in a while. */
  flush(client: ClientBase): Promise<void>;
  /**
   * Runs an UPDATE that returns `at` of each changed row, and for each of the counted fields an array of the values that
   * it had or has. Answers how many rows it changed.
   */
  noteChanged(client: ClientBase, material: string, update: ChangingUpdate): Promise<number>;
}

export interface ChangingUpdate {
  readonly sql: string;
  readonly bindings: readonly unknown[];
  /** Whether it returns arrays for the counted fields; without them no value of such a field is concerned. */
  readonly returnsValues: boolean;
}

/** Where values of a counted field are remembered. */
export const lateTable = (field: string): string => `late_${field}`;

const FIELDS = Object.keys(COUNTED_FIELDS);

/**
 * When the last day begins of which different values are counted: rows before it may be of values that come again. A click
 * far behind its page view makes days without any.
 */
async function lastCounted(
  client: ClientBase,
  siteId: number,
  { clock }: RollupState,
): Promise<number | null> {
  const { rows } = await client.query<{ day: number | null }>(
    'SELECT max(block) AS day FROM analytics.rollup_unique WHERE site_id = $1 AND level = 0',
    [siteId],
  );
  const day = rows[0]?.day ?? null;
  return day === null ? null : (dayBounds(clock, day, day)[0] ?? null);
}

/** Opens the notes of one import; `empty`: the site has no rows yet. */
export async function touchedRows(client: ClientBase, siteId: number, empty: boolean): Promise<TouchedRows> {
  const state = empty ? undefined : await storedState(client, siteId);
  let extent: 'none' | 'some' | 'all' = empty ? 'all' : state === undefined ? 'none' : 'some';
  const lateUntil = state === undefined ? null : await lastCounted(client, siteId, state);
  const hours = new Map<string, Set<number>>();
  let late = new Map(FIELDS.map((field) => [field, new Set<number>()]));
  let hasTables = false;
  let longestClick = 0;

  const noteHour = (material: string, hour: number): void => {
    const known = hours.get(material) ?? new Set();
    hours.set(material, known.add(hour));
    if (known.size > MOST_HOURS) extent = 'all';
  };
  const openTables = async (client: ClientBase): Promise<void> => {
    if (!hasTables) {
      const tables = FIELDS.map(
        (field) => `CREATE TEMPORARY TABLE ${lateTable(field)} (${field} bigint PRIMARY KEY) ON COMMIT DROP`,
      );
      await client.query(tables.join(';'));
    }
    hasTables = true;
  };

  return {
    state,
    extent: () => extent,
    hours,
    hasLate: () => hasTables,
    longestClick: () => longestClick,
    note(material, at, fieldOf) {
      if (extent !== 'some') return;
      noteHour(material, Math.floor(at / NOTED_SECONDS));
      if (fieldOf === undefined || lateUntil === null || at >= lateUntil) return;
      for (const [field, values] of late) values.add(fieldOf(field));
    },
    noteDelay(seconds) {
      if (seconds > longestClick) longestClick = seconds;
    },
    async flush(client) {
      const waiting = [...late].filter(([, values]) => values.size > 0);
      if (waiting.length === 0) return;
      await openTables(client);
      for (const [field, values] of waiting) {
        await client.query(
          `INSERT INTO ${lateTable(field)} SELECT unnest($1::bigint[]) ON CONFLICT DO NOTHING`,
          [[...values]],
        );
      }
      late = new Map(FIELDS.map((field) => [field, new Set<number>()]));
    },
    async noteChanged(client, material, { sql, bindings, returnsValues }) {
      if (extent !== 'some' || lateUntil === null) {
        // What the change returns stays in the database: it may be every row of the site.
        const counted = `WITH changed AS (${sql}) SELECT count(*)::integer AS rows FROM changed`;
        const answer = await client.query<{ rows: number }>(counted, [...bindings]);
        return answer.rows[0]?.rows ?? 0;
      }
      const keeps = returnsValues ? FIELDS : [];
      if (returnsValues) await openTables(client);
      const kept = keeps.map(
        (field) => `, ${field}_kept AS (
          INSERT INTO ${lateTable(field)} SELECT DISTINCT unnest(${field}) FROM changed WHERE at < $${bindings.length + 1}::timestamptz
          ON CONFLICT DO NOTHING)`,
      );
      const answer = await client.query<{ hour: number; rows: number }>(
        `WITH changed AS (${sql})${kept.join('')}
         SELECT floor(extract(epoch FROM at) / ${NOTED_SECONDS})::integer AS hour, count(*)::integer AS rows
           FROM changed GROUP BY 1`,
        returnsValues ? [...bindings, instant(lateUntil)] : [...bindings],
      );
      let changed = 0;
      for (const { hour, rows } of answer.rows) {
        noteHour(material, hour);
        changed += rows;
      }
      return changed;
    },
  };
}
