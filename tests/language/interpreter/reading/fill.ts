// The values of a kept period column within a range, determined by stepping through local time.
import type { Row } from './join';
import { instantOf, localText, mondayOf, weekday } from './local-clock';
import type { Filter, Query, Reference, View } from './query';
import type { Value } from './tables';

const QUARTER = 900;
const HOUR = 3600;
const DAY = 86_400;

type Unit = 'date' | 'week' | 'month' | 'hour' | 'weekday' | 'month-start';

interface Period {
  readonly unit: Unit;
  /** The unit of time that each row of the material describes. */
  readonly rows: 'instant' | 'day' | 'month';
  readonly time: Query['time'];
  /** Other columns that have one value per period. */
  readonly determined: ReadonlyMap<string, Unit>;
}

const ACCESS: Readonly<Record<string, Unit>> = {
  access_date: 'date',
  access_week: 'week',
  access_month: 'month',
  access_hour: 'hour',
  access_weekday: 'weekday',
};
const SEARCH: Readonly<Record<string, Unit>> = { date: 'date', week: 'week', month: 'month' };
const MONTHLY: Readonly<Record<string, Unit>> = { date: 'month-start', month: 'month' };
const VERSIONS: Readonly<Record<string, Unit>> = { update_date: 'date' };

function columnsOf(material: string): [columns: Readonly<Record<string, Unit>>, rows: Period['rows']] {
  if (material.startsWith('ga4_')) return [MONTHLY, 'month'];
  if (material.startsWith('summary_')) return [{}, 'day'];
  if (material === 'gsc') return [SEARCH, 'day'];
  return material === 'page_version' ? [VERSIONS, 'day'] : [ACCESS, 'instant'];
}

const CONSTANT_ALL_DAY: readonly Unit[] = ['weekday', 'week', 'month'];

/** Describes the periods that a kept column contains. Null if its values are not periods of the range. */
export function periodOf(
  view: View,
  { side, column }: Reference,
  query: Pick<Query, 'views' | 'time'>,
): Period | null {
  const name = side === 'from' ? view.from : (view.join?.with ?? '');
  const inner = query.views.find((it) => it.name === name);
  if (inner !== undefined) {
    const kept = inner.keep.find((it) => it.column === column);
    const period = kept === undefined ? null : periodOf(inner, kept, query);
    return period && { ...period, determined: new Map() };
  }
  const [columns, rows] = columnsOf(name);
  const unit = columns[column];
  if (unit === undefined || (side === 'with' && name === 'page_version')) return null;
  const isDay = unit === 'date' || unit === 'month-start';
  const determined = Object.entries(columns).filter(([, part]) => isDay && CONSTANT_ALL_DAY.includes(part));
  return { unit, rows, time: { ...query.time, ...view.time }, determined: new Map(determined) };
}

/** Returns this part of a local timestamp. */
function partOf(text: string, unit: Unit): Value {
  switch (unit) {
    case 'date':
    case 'month-start':
      return text.slice(0, 10);
    case 'week':
      return mondayOf(text);
    case 'month':
      return text.slice(0, 7);
    case 'hour':
      return Number(text.slice(11, 13));
    case 'weekday':
      return weekday(text);
  }
}

/** Local timestamps, as text, that together cover every period of the range at least once. */
function textsIn({ rows, time: { start, end, tz } }: Period): readonly string[] {
  const [first, last] = [instantOf(start, tz), instantOf(end, tz)];
  if (rows === 'instant') {
    const texts = [localText(first, tz)];
    // Every local day has more than 20 hours, and every hour occurs in the first or last three days.
    for (let instant = Math.ceil(first / QUARTER) * QUARTER; instant < last; ) {
      texts.push(localText(instant, tz));
      const isNearEnd = instant < first + 3 * DAY || instant > last - 4 * DAY;
      instant += isNearEnd ? QUARTER : 20 * HOUR;
    }
    return texts;
  }
  const days: string[] = [];
  const local = (instant: number): number =>
    Date.parse(`${localText(instant, tz).slice(0, 10)}T00:00:00Z`) / 1000;
  for (let day = local(first) - 2 * DAY; day <= local(last) + 2 * DAY; day += DAY) {
    const text = new Date(day * 1000).toISOString().slice(0, 19);
    const midnight = instantOf(text, tz);
    if (midnight >= first && midnight < last && (rows === 'day' || text.slice(8, 10) === '01'))
      days.push(text);
  }
  return days;
}

/** The periods that pass those parts of the filter that read only the period. */
export function filledPeriods(
  view: View,
  reference: Reference,
  period: Period,
  satisfies: (row: Row, filter: Filter) => boolean,
): readonly Value[] {
  // Filters read only columns of the `from` side.
  const isRead = (column: string): boolean =>
    reference.side === 'from' && (column === reference.column || period.determined.has(column));
  const parts = partsOf(view).filter((part) => columnsIn(part).every(isRead));
  const found = new Map<Value, Row>();
  for (const text of textsIn(period)) {
    const value = partOf(text, period.unit);
    const values = new Map<string, Value>([[reference.column, value]]);
    for (const [column, unit] of period.determined) values.set(column, partOf(text, unit));
    found.set(value, { site: null, values });
  }
  return [...found].filter(([, row]) => parts.every((part) => satisfies(row, part))).map(([value]) => value);
}

const NOTHING: Filter = { filter: [], any: null, none: null };

/** The parts of the view's filter. A row passes if it passes all parts. */
const partsOf = ({ filter, any, none }: Filter): readonly Filter[] => [
  ...filter.map((test) => ({ ...NOTHING, filter: [test] })),
  ...(any === null ? [] : [{ ...NOTHING, any }]),
  ...(none === null ? [] : [{ ...NOTHING, none }]),
];

const columnsIn = ({ filter, any, none }: Filter): readonly string[] => [
  ...filter.flatMap(({ column, other }) => (other === undefined ? [column] : [column, other])),
  ...[...(any ?? []), ...(none ?? [])].flatMap(columnsIn),
];
