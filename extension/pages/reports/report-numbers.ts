// A report's numbers: the results of the dashboard's queries, over complete days.
import type { HostUser } from '../../../host-shim/extension-api';
import { type Analytics, contractOf } from '../../api/analytics';
import { queryContext } from '../../api/routes/query-route';
import { listGoals } from '../../data/storage/goals/list-goals';
import { type Site, siteOverview } from '../../data/storage/sites/list-sites';
import { stateOfSite } from '../../data/storage/sites/site-states';
import { readDocument } from '../../language/parse/read-document';
import { dataVersionOf } from '../../language/resolve/data-version';
import { localDateOf } from '../../language/time/local-time';
import { runQuery, wholeAnswer } from '../../query/run-query';
import { CARDS, figuresOf } from '../dashboard/dashboard-figures';
import { TABS, type Tab } from '../dashboard/dashboard-panels';
import { type DashboardQuery, figureQuery, listQuery } from '../dashboard/dashboard-query';
import { daysWithViews, missingDays } from '../dashboard/dashboard-range';
import type { CardInfo, DayRange } from '../shared-types/dashboard-types';
import type { Period } from './report-period';

const MAX_LIST_ROWS = 10;
/** Shorter than the pause before the next attempt, so that two servers never send the same report at the same time. */
const TIMEOUT_MS = 120_000;
const LISTS = ['page', 'source'];
/** Imports may change a busy site during every reading. In that case, the last reading is used, and `isSteady` is false. */
const MAX_READINGS = 3;

type Rows = readonly Readonly<Record<string, unknown>>[];

interface ReportFigure {
  readonly card: CardInfo;
  readonly value: number | null;
  /** null if there is no comparable data. */
  readonly before: number | null;
}

export interface ReportNumbers {
  readonly figures: readonly ReportFigure[];
  readonly lists: readonly { readonly tab: Tab; readonly rows: Rows }[];
  /** The first and last day with data. */
  readonly data: DayRange | null;
  /** Whether nothing was imported while the numbers were read, so that all of them are based on the same rows. */
  readonly isSteady: boolean;
}

export async function readNumbers(analytics: Analytics, scope: ReportScope): Promise<ReportNumbers> {
  const signal = AbortSignal.any([scope.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  for (let reading = 1; ; reading += 1) {
    const numbers = await readOnce(analytics, { ...scope, signal });
    if (numbers.isSteady || reading === MAX_READINGS) return numbers;
  }
}

async function readOnce(
  analytics: Analytics,
  { user, site, period, signal }: ReportScope,
): Promise<ReportNumbers> {
  const { read } = analytics.host.database;
  const { workers } = analytics;
  const stateNow = () => stateOfSite(site.trackingId, { database: read, sites: user.sites, workers });
  const [state] = await stateNow();
  if (state === undefined) throw new Error(`There is no site ${site.trackingId}.`);
  const contract = await contractOf(analytics, 'latest');
  const context = {
    ...(await queryContext(analytics, contract, { user, signal })),
    prefetchedSite: { trackingId: site.trackingId, state },
  };
  const rowsOf = async ({ query }: DashboardQuery): Promise<Rows> => {
    const document = readDocument(JSON.stringify(query));
    const { columns, rows } = await wholeAnswer(await runQuery(document, context, analytics.results));
    return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])));
  };
  const [goals, [overview]] = await Promise.all([
    listGoals(read, site.siteId),
    siteOverview(read, [site.trackingId], workers),
  ]);
  const figures = Object.entries(figuresOf(goals.map(({ id }) => id)));
  const totalsOf = async (range: DayRange) => {
    const rows = figures.map(([, figure]) => rowsOf(figureQuery(figure, null, { site, range, filters: [] })));
    return Object.fromEntries((await Promise.all(rows)).flat().flatMap(Object.entries));
  };
  const data = overview === undefined ? null : daysWithViews(overview, site.timezone);
  const today = localDateOf(Math.floor(analytics.host.clock().getTime() / 1000), site.timezone);
  const isComparable = data !== null && missingDays(period.range, period.before, data, today) === null;
  const tabs = LISTS.flatMap((id) => TABS.get(id) ?? []);
  const scope = { site, range: period.range, filters: [] };
  const [now, before, ...lists] = await Promise.all([
    totalsOf(period.range),
    totalsOf(period.before),
    ...tabs.map((tab) => rowsOf(listQuery(tab, { limit: MAX_LIST_ROWS }, scope))),
  ]);
  return {
    isSteady: dataVersionOf(await stateNow()) === dataVersionOf([state]),
    figures: CARDS.filter(({ column }) => column in now).map((card) => ({
      card,
      value: numberOf(now[card.column]),
      before: isComparable ? numberOf(before[card.column]) : null,
    })),
    lists: tabs.map((tab, at) => ({ tab, rows: lists[at] ?? [] })),
    data,
  };
}

interface ReportScope {
  readonly user: HostUser;
  readonly site: Site;
  readonly period: Period;
  readonly signal: AbortSignal;
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
