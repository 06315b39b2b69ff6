// Rows of the summaries: the page views in the period, counted one by one for each combination of dimensions.

import type { PageView, Tables, Value } from '../tables';
import { isWithin, type Period, type PlacedRow } from './period';
import { viewValues } from './view-values';

const DIMENSIONS = ['device_id', 'utm_source', 'utm_medium', 'utm_campaign', 'source_domain', 'is_newuser'];
/** Columns that are derived from page_id. */
const PAGE_TEXTS = ['url', 'title'];

interface Viewed {
  readonly view: PageView;
  readonly values: Readonly<Record<string, Value>>;
}

export function summaryRows(name: string, tables: Tables, period: Period): readonly PlacedRow[] {
  const views = tables.page_view
    .filter((view) => isWithin(view, period))
    .map((view): Viewed => {
      const values = viewValues(view, tables, period.tz);
      return { view, values: { ...values, second_page: view.next_page_id } };
    });
  switch (name) {
    case 'summary_landingpage': {
      const landings = views.filter(({ view }) => view.pv === 1);
      const dimensions = ['page_id', ...DIMENSIONS, 'second_page'];
      return combine(landings, dimensions, PAGE_TEXTS, (rows) => {
        const all = views.filter(({ view }) => rows.some((row) => isSameSession(row.view, view)));
        return {
          session_count: rows.length,
          user_count: readersOf(rows),
          bounce_count: rows.filter(({ view }) => view.is_last).length,
          pv_count: all.length,
          session_time: seconds(all),
        };
      });
    }
    case 'summary_allpage':
      return combine(views, ['page_id', ...DIMENSIONS], PAGE_TEXTS, (rows) => ({
        pv_count: rows.length,
        user_count: readersOf(rows),
        bounce_count: bounces(rows),
        exit_count: rows.filter(({ view }) => view.is_last).length,
        time_on_page: seconds(rows),
        lp_count: rows.filter(({ view }) => view.pv === 1).length,
      }));
    case 'summary_days_access_detail':
      return combine(views, DIMENSIONS, [], (rows) => ({
        pv_count: rows.length,
        session_count: new Set(rows.map(({ view }) => view.session_id)).size,
        user_count: readersOf(rows),
        bounce_count: bounces(rows),
        time_on_page: seconds(rows),
        is_newuser_count: readersOf(rows.filter(({ view }) => view.is_newuser)),
      }));
    default:
      throw new Error(`The interpreter has no material ${name}.`);
  }
}

/** Returns one row per site and combination of dimensions. */
function combine(
  views: readonly Viewed[],
  dimensions: readonly string[],
  texts: readonly string[],
  measure: (rows: readonly Viewed[]) => Readonly<Record<string, number>>,
): readonly PlacedRow[] {
  const groups = new Map<string, Viewed[]>();
  for (const row of views) {
    const key = JSON.stringify([row.view.site_id, ...dimensions.map((name) => row.values[name] ?? null)]);
    const members = groups.get(key) ?? [];
    groups.set(key, members);
    members.push(row);
  }
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const { view, values } = first;
    const kept = [...dimensions, ...texts, 'device_type'].map((name) => [name, values[name] ?? null]);
    return [
      {
        site: view.site_id,
        place: dimensions.map((name) => values[name] ?? null),
        values: { ...Object.fromEntries(kept), ...measure(members) },
      },
    ];
  });
}

const isSameSession = (a: PageView, b: PageView): boolean =>
  a.site_id === b.site_id && a.session_id === b.session_id;

const readersOf = (rows: readonly Viewed[]): number => new Set(rows.map(({ view }) => view.reader_id)).size;

const bounces = (rows: readonly Viewed[]): number =>
  rows.filter(({ view }) => view.pv === 1 && view.is_last).length;

const seconds = (rows: readonly Viewed[]): number =>
  rows.reduce((sum, { view }) => sum + (view.browse_sec ?? 0), 0);
