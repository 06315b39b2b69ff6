// The page "Dashboard": the chosen site and days, and a query for each panel. The browser module sends the queries, so
// the page itself is fast.
import {
  type AdminPage,
  type AdminRequest,
  type HostUser,
  PageError,
  pageAddress,
} from '../../host-shim/extension-api';
import { type Analytics, currentContracts } from '../analytics';
import { chooseContract } from '../contracts/choose-contract';
import { ANSWER_FORMATS_FEATURE } from '../contracts/for-streaming';
import { type Contract, isEnabled } from '../qal/types/contract';
import { type SiteOverview, siteOverview } from '../storage/sites/list-sites';
import { localDateOf } from '../time/local-time';
import { type DashboardPanel, type DayRange, dashboardPanels } from './dashboard-queries';
import { type AskedRange, daysUntil, FIRST_DAY, LAST_DAY, LAST_DAYS, readRange } from './dashboard-range';
import { playgroundLink } from './playground-page';

const DAYS_OFFERED = 30;
const COLUMNS: readonly (readonly string[])[] = [
  ['pages', 'devices'],
  ['sources', 'countries'],
];

const dayOf = (instant: Date, zone: string): string =>
  localDateOf(Math.floor(instant.getTime() / 1000), zone);

const addressOf = (site: string, range: Readonly<Record<string, string>>): string =>
  `${pageAddress('dashboard')}?${new URLSearchParams({ site, ...range })}`;

function chosenSite(sites: readonly SiteOverview[], asked: string | undefined): SiteOverview | undefined {
  if (asked === undefined) return sites[0];
  const site = sites.find(({ trackingId }) => trackingId === asked);
  if (site === undefined) throw new PageError(404, 'There is no such site, or you may not see it.');
  return site;
}

/** First and last day with data, and a link to the newest days where the chosen range has none. */
function dataSpan(site: SiteOverview, { first, last }: DayRange) {
  if (site.firstView === null || site.lastView === null) return null;
  const span = { first: dayOf(site.firstView, site.timezone), last: dayOf(site.lastView, site.timezone) };
  const end = daysUntil(span.last, DAYS_OFFERED);
  const outside = last < span.first || first > span.last;
  return {
    ...span,
    newest: outside ? addressOf(site.trackingId, { from: end.first, to: end.last }) : null,
  };
}

/** Panels that need a feature which is switched off; null where there are none. */
function leftOut(panels: readonly DashboardPanel[], contract: Contract, { capabilities }: HostUser) {
  if (panels.length === 0) return null;
  const off = panels.flatMap(({ needs }) => needs).filter((feature) => !isEnabled(contract, feature));
  return {
    titles: panels.map(({ title }) => title),
    features: [...new Set(off)],
    link: capabilities.includes('manage_sites') ? pageAddress('features') : null,
  };
}

/** `it` of the view for one site. */
function shownSite(
  analytics: Analytics,
  contract: Contract,
  site: SiteOverview,
  asked: AskedRange,
  user: HostUser,
) {
  const all = dashboardPanels(site, asked.range);
  const isAskable = ({ needs }: DashboardPanel) => needs.every((feature) => isEnabled(contract, feature));
  const panels = all.filter(isAskable).map((panel) => ({
    ...panel,
    playground: playgroundLink(JSON.stringify(panel.query, null, 2)),
    data: JSON.stringify({
      kind: panel.kind,
      counts: panel.counts,
      nameless: panel.nameless ?? null,
      first: asked.range.first,
      last: asked.range.last,
      query: panel.query,
    }),
  }));
  return {
    site,
    range: asked.range,
    leftOut: leftOut(
      all.filter((panel) => !isAskable(panel)),
      contract,
      user,
    ),
    span: dataSpan(site, asked.range),
    otherZone: user.timezone === site.timezone ? null : user.timezone,
    choices: LAST_DAYS.map((days) => ({
      days,
      address: addressOf(site.trackingId, { last: String(days) }),
      chosen: asked.last === days,
    })),
    totals: panels.filter(({ kind }) => kind === 'total'),
    days: panels.filter(({ kind }) => kind === 'days'),
    // Two columns of about the same height.
    columns: COLUMNS.map((ids) => panels.filter(({ id }) => ids.includes(id))),
    canDownload: isEnabled(contract, ANSWER_FORMATS_FEATURE),
    endpoint: `${analytics.settings.namespace}/query?version=latest&envelope=result`,
  };
}

export function dashboardPage(analytics: Analytics): AdminPage {
  const { database, clock } = analytics.host;
  return {
    slug: 'dashboard',
    title: 'Dashboard',
    group: 'Data',
    position: 0,
    capability: 'read',
    async handle({ query, user }: AdminRequest) {
      const sites = await siteOverview(database.read, user.sites);
      const site = chosenSite(sites, query.site);
      const view = 'extension/admin/views/dashboard';
      if (site === undefined)
        return { kind: 'page', view, data: { sites, shown: null, may: user.capabilities } };
      const contracts = await currentContracts(analytics);
      const asked = readRange(query, clock(), site.timezone);
      const faulty = Object.keys(asked.faults).length > 0;
      const typed = { from: query.from ?? asked.range.first, to: query.to ?? asked.range.last };
      return {
        kind: 'page',
        status: faulty ? 400 : 200,
        view,
        data: {
          sites,
          shown: shownSite(analytics, chooseContract(contracts, 'latest', 'latest'), site, asked, user),
          bounds: `required min="${FIRST_DAY}" max="${LAST_DAY}"`,
          faults: asked.faults,
          typed: faulty ? typed : { from: asked.range.first, to: asked.range.last },
        },
        scripts: ['extension/dashboard'],
        styles: ['extension/extension'],
      };
    },
  };
}
