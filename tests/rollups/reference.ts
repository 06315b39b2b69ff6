// What must be kept counted of a site, computed from its stored rows by plain loops, and what is stored.
// Nothing of the program is used for it: days by Intl, cells by their definition at each level.
import type { Knex } from 'knex';

export interface StoredRow {
  readonly at: number;
  readonly [field: string]: number | null;
}

type Measure = (row: StoredRow) => number;

interface Dimension {
  readonly code: number;
  readonly keys: readonly string[];
  readonly counts: readonly ('session_id' | 'reader_id')[];
}

const one = (is: boolean): number => (is ? 1 : 0);
const BOTH = ['session_id', 'reader_id'] as const;
const VISITS = ['session_id'] as const;

/** What is counted, written down a second time. */
export const COUNTED = {
  allpv: {
    table: 'page_view',
    measures: {
      row_count: () => 1,
      landing_count: ({ pv }) => one(pv === 1),
      bounce_count: ({ pv, is_last }) => one(pv === 1 && is_last === 1),
      exit_count: ({ is_last }) => is_last ?? 0,
      newuser_count: ({ is_newuser }) => is_newuser ?? 0,
      browse_sum: ({ browse_sec }) => browse_sec ?? 0,
      browse_count: ({ browse_sec }) => one(browse_sec !== null),
      depth_sum: ({ depth_position }) => depth_position ?? 0,
      depth_count: ({ depth_position }) => one(depth_position !== null),
      deep_read_count: ({ deep_read }) => deep_read ?? 0,
      submit_count: ({ is_submit }) => is_submit ?? 0,
      rage_count: (row) => one((row.irritation_click_count ?? 0) > 0),
      rage_sum: (row) => row.irritation_click_count ?? 0,
    } satisfies Record<string, Measure>,
    dimensions: [
      { code: 1, keys: [], counts: BOTH },
      { code: 2, keys: ['page_id'], counts: VISITS },
      { code: 3, keys: ['source_id'], counts: VISITS },
      { code: 4, keys: ['medium_id'], counts: VISITS },
      { code: 5, keys: ['campaign_id'], counts: VISITS },
      { code: 6, keys: ['content_id'], counts: VISITS },
      { code: 7, keys: ['country_id'], counts: BOTH },
      { code: 8, keys: ['device_id'], counts: BOTH },
      { code: 9, keys: ['os_id'], counts: BOTH },
      { code: 10, keys: ['browser_id'], counts: BOTH },
      { code: 11, keys: ['language_id'], counts: BOTH },
      { code: 12, keys: ['is_newuser'], counts: BOTH },
      { code: 13, keys: ['page_id', 'device_id'], counts: [] },
    ] satisfies readonly Dimension[],
  },
  click_event: {
    table: 'click',
    measures: { row_count: () => 1 } satisfies Record<string, Measure>,
    dimensions: [
      { code: 31, keys: [], counts: [] },
      { code: 32, keys: ['selector_id'], counts: [] },
      { code: 33, keys: ['page_id'], counts: [] },
    ] satisfies readonly Dimension[],
  },
} as const;

const COUNTED_CODES = { session_id: 1, reader_id: 2 } as const;
const LEVELS = [0, 1, 2, 3];
const DAY_MS = 86_400_000;

/** `where block` -> `keys (previous)` -> its numbers. */
export type Cells = Record<string, Record<string, readonly number[]>>;

/** What must be kept of a site, by its stored rows; nothing without rows. */
export async function expectedCells(write: Knex, site: string): Promise<Cells> {
  const zone: { rows: { timezone: string }[] } = await write.raw(
    'SELECT timezone FROM analytics.site WHERE tracking_id = ?',
    [site],
  );
  const dayOf = localDays(zone.rows[0]?.timezone ?? '');
  const cells: Cells = {};
  for (const { table, measures, dimensions } of Object.values(COUNTED)) {
    const rows = await storedRows(write, site, table);
    const dated = rows.map((row) => ({ row, day: dayOf(row.at) }));
    for (const dimension of dimensions) {
      addMeasures(cells, dimension, Object.values(measures), dated);
      for (const field of dimension.counts) addDifferent(cells, dimension, field, dated);
    }
  }
  return cells;
}

interface Dated {
  readonly row: StoredRow;
  readonly day: number;
}

const keyOf = ({ keys }: Dimension, row: StoredRow): string =>
  keys.map((key) => String(row[key] ?? 'null')).join(' ');

function addMeasures(
  cells: Cells,
  dimension: Dimension,
  measures: readonly Measure[],
  dated: readonly Dated[],
): void {
  for (const level of LEVELS) {
    for (const { row, day } of dated) {
      const place = `rows ${dimension.code} ${level} ${Math.floor(day / 4 ** level)}`;
      const block = cells[place] ?? {};
      const key = keyOf(dimension, row);
      const before = block[key] ?? measures.map(() => 0);
      block[key] = before.map((value, index) => value + (measures[index]?.(row) ?? 0));
      cells[place] = block;
    }
  }
}

function addDifferent(
  cells: Cells,
  dimension: Dimension,
  field: 'session_id' | 'reader_id',
  dated: readonly Dated[],
): void {
  const days = new Map<string, { readonly key: string; readonly days: Set<number> }>();
  for (const { row, day } of dated) {
    const key = keyOf(dimension, row);
    const pair = `${row[field]} ${key}`;
    const known = days.get(pair) ?? { key, days: new Set<number>() };
    known.days.add(day);
    days.set(pair, known);
  }
  for (const level of LEVELS) {
    for (const { key, days: met } of days.values()) {
      for (const number of new Set([...met].map((day) => Math.floor(day / 4 ** level)))) {
        const earlier = [...met].filter((day) => day < number * 4 ** level);
        const previous = earlier.length === 0 ? 'never' : String(Math.max(...earlier));
        const place = `different ${COUNTED_CODES[field]} ${dimension.code} ${level} ${number}`;
        const block = cells[place] ?? {};
        const cell = `${key} (${previous})`;
        block[cell] = [(block[cell]?.[0] ?? 0) + 1];
        cells[place] = block;
      }
    }
  }
}

/** Day numbers of instants: a day that was begun is never left again for the one before it. */
export function localDays(zone: string): (at: number) => number {
  const options = { timeZone: zone, hourCycle: 'h23', hour: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('en-CA', {
    ...options,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const shown = (at: number): readonly [day: number, hour: number] => {
    const [date, hour] = format.format(at * 1000).split(', ');
    return [Date.parse(`${date}T00:00:00Z`) / DAY_MS, Number(hour)];
  };
  const known = new Map<number, number>();
  return (at) => {
    const found = known.get(at);
    if (found !== undefined) return found;
    const [today, hour] = shown(at);
    let day = today;
    // No clock goes back by more than three hours; a minute is the shortest time for which one showed the later day.
    if (hour >= 21)
      for (let minute = 1; minute <= 180; minute += 1) day = Math.max(day, shown(at - minute * 60)[0]);
    known.set(at, day);
    return day;
  };
}

async function storedRows(write: Knex, site: string, table: string): Promise<readonly StoredRow[]> {
  const answer: { rows: Record<string, unknown>[] } = await write.raw(
    `SELECT t.*, extract(epoch FROM t.at)::float8 AS at FROM analytics.${table} t JOIN analytics.site s USING (site_id)
      WHERE s.tracking_id = ?`,
    [site],
  );
  return answer.rows.map(({ at, ...fields }) => ({
    at: Number(at),
    ...Object.fromEntries(
      Object.entries(fields)
        .filter(([, value]) => value === null || typeof value === 'number' || typeof value === 'boolean')
        .map(([name, value]) => [name, value === null ? null : Number(value)]),
    ),
  }));
}

interface StoredBlock {
  readonly dimension: number;
  readonly level: number;
  readonly block: number;
  readonly keys: readonly (number | null)[] | null;
  readonly second_keys: readonly (number | null)[] | null;
}

const keyAt = ({ keys, second_keys }: StoredBlock, place: number): string =>
  [keys, second_keys].flatMap((list) => (list === null ? [] : [String(list[place])])).join(' ');

function addCell(cells: Cells, where: string, cell: string, values: readonly number[]): void {
  const block = cells[where] ?? {};
  if (block[cell] !== undefined) throw new Error(`${where} has ${cell} twice`);
  block[cell] = values;
  cells[where] = block;
}

/** What is stored of a site, in the same form. A measure that does not belong to a material must not be there. */
export async function storedCells(write: Knex, site: string): Promise<Cells> {
  const cells: Cells = {};
  const ofSite = 'JOIN analytics.site s USING (site_id) WHERE s.tracking_id = ?';
  const rows: { rows: (StoredBlock & Record<string, readonly number[] | null>)[] } = await write.raw(
    `SELECT r.* FROM analytics.rollup r ${ofSite}`,
    [site],
  );
  for (const block of rows.rows) {
    const material = Object.values(COUNTED).find(({ dimensions }) =>
      dimensions.some(({ code }) => code === block.dimension),
    );
    const names = Object.keys(material?.measures ?? {});
    const others = Object.keys(COUNTED.allpv.measures).filter((name) => !names.includes(name));
    const surplus = others.filter((name) => block[name] !== null);
    if (surplus.length > 0) throw new Error(`${block.dimension} has ${surplus.join()}`);
    for (let place = 0; place < (block.row_count?.length ?? 0); place += 1) {
      addCell(
        cells,
        `rows ${block.dimension} ${block.level} ${block.block}`,
        keyAt(block, place),
        names.map((name) => Number(block[name]?.[place])),
      );
    }
  }
  const different: {
    rows: (StoredBlock & {
      readonly counted: number;
      readonly previous: readonly (number | null)[];
      readonly counts: readonly number[];
    })[];
  } = await write.raw(`SELECT r.* FROM analytics.rollup_unique r ${ofSite}`, [site]);
  for (const block of different.rows) {
    block.counts.forEach((count, place) => {
      const where = `different ${block.counted} ${block.dimension} ${block.level} ${block.block}`;
      addCell(cells, where, `${keyAt(block, place)} (${block.previous[place] ?? 'never'})`, [count]);
    });
  }
  return cells;
}
