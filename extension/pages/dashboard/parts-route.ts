// The routes of the dashboard and similar pages. One response of JSON lines contains everything that a page shows.
import { setMaxListeners } from 'node:events';
import type { HostRequest, HostResponse, HostUser } from '../../../host-shim/extension-api';
import { type Analytics, contractOf } from '../../api/analytics';
import type { InstalledContract } from '../../api/contracts/contract';
import { forStreaming } from '../../api/contracts/with-switches';
import { queryContext, streamedAnswer } from '../../api/routes/query-route';
import { recorded } from '../../api/routes/recorded';
import { permittedSites, type Site } from '../../data/storage/sites/list-sites';
import { type PrefetchedSite, stateOfSite } from '../../data/storage/sites/site-states';
import { QueryError } from '../../language/errors/query-error';
import { readDocument } from '../../language/parse/read-document';
import { dataVersionOf } from '../../language/resolve/data-version';
import { runQuery, wholeAnswer } from '../../query/run-query';
import { noSuchSite, type PageRoute, refuse } from '../page-route';
import { pinnedSegment, withPinned } from '../segments/pinned-segment';
import { BEYOND_LINK, type DashboardHead, type PartAnswer } from '../shared-types/dashboard-types';
import { DIMENSIONS, isDimension } from './dashboard-dimensions';
import { headOf, nowAt } from './dashboard-head';
import { type ChangingSite, dashboardLines, type Reading } from './dashboard-lines';
import type { DashboardQuery } from './dashboard-query';
import { readComparison, readRange, type SiteNow } from './dashboard-range';
import { parameterFault } from './event-parameter';
import {
  combinationFault,
  invalid,
  type LimitedView,
  type Part,
  readRequested,
  requestedSchema,
} from './requested-dashboard';

/** The query for a part, or the reason why there is none. */
type PartQuery = DashboardQuery | { readonly refusal: string };

/** A page whose numbers are the results of queries. */
interface PartsPage<Head extends DashboardHead> {
  /** The path of the page and its route. Shared links to the page also grant access to the route. */
  readonly slug: string;
  readonly summary: string;
  /** Adds everything else that the page shows. */
  complete(head: DashboardHead, shown: ShownSite): Promise<Head>;
  /** undefined if the part does not exist. */
  queryOf(part: Part, requested: LimitedView, head: Head, now: SiteNow): PartQuery | undefined;
}

interface ShownSite {
  readonly site: Site;
  readonly requested: LimitedView;
  readonly now: SiteNow;
  readonly isLink: boolean;
}

export function partsRoute<Head extends DashboardHead>(
  analytics: Analytics,
  page: PartsPage<Head>,
): PageRoute {
  const { slug, summary } = page;
  return {
    path: `/${slug}`,
    methods: ['POST'],
    summary,
    input: requestedSchema,
    capability: null,
    opens: slug,
    isExpensive: true,
    handle: (request, user) => answerParts(analytics, request, user, page),
  };
}

async function answerParts<Head extends DashboardHead>(
  analytics: Analytics,
  request: HostRequest,
  user: HostUser,
  page: PartsPage<Head>,
): Promise<HostResponse> {
  const body = readRequested(request.body);
  if ('status' in body) return body;
  const { workers } = analytics;
  const { database } = analytics.host;
  const pinned = pinnedSegment(user);
  const requested: LimitedView = { ...body, filters: withPinned(body.filters, pinned) };
  const combined = combinationFault(requested.filters);
  if (combined !== undefined) return invalid(combined, 'filters');
  const { sites: permitted, key } = user;
  const [siteOfLink] = permitted === 'all' || key?.opens === undefined ? [] : permitted;
  const wanted = requested.site ?? siteOfLink ?? '';
  const contract = await contractOf(analytics, 'latest');
  const requestScope: RequestScope = { analytics, request, contract, filters: requested.filters };
  const stateNow = () => stateOfSite(wanted, { database: database.read, sites: permitted, workers });
  const readHead = async () => {
    const [state] = await stateNow();
    const [site] = state === undefined ? [] : await permittedSites(database.read, [wanted]);
    if (state === undefined || site === undefined) return noSuchSite(wanted);
    const now = nowAt(analytics, site);
    const range = readRange(requested, now.day);
    if ('message' in range) return invalid(range.message, range.at);
    const before = readComparison(requested, range);
    if (before !== null && 'message' in before) return invalid(before.message, before.at);
    const shared = await headOf(analytics, request, { requested, site, state, range, before, now, contract });
    const limited = pinned === undefined ? shared : { ...shared, pinned };
    const head = await page.complete(limited, { site, requested, now, isLink: key !== null });
    return { head, now, prefetchedSite: { trackingId: wanted, state } };
  };
  const read = await readHead();
  if ('status' in read) return read;
  const queryOf = (part: Part, { head, now }: typeof read): PartQuery | undefined => {
    const refusal = parameterFault(requested.filters, head.events);
    return refusal === undefined ? page.queryOf(part, requested, head, now) : { refusal };
  };
  const [only] = requested.parts;
  if (requested.file && only !== undefined)
    return answerFile(requestScope, (limit) => queryOf({ ...only, limit }, read));
  // Each query adds a listener to the signal.
  setMaxListeners(0, request.signal);
  const readingOf = (current: typeof read): Reading => {
    const parts = requested.parts.map((part) =>
      answerPart(requestScope, part, queryOf(part, current), current.prefetchedSite),
    );
    // Rejections after the client has disconnected are ignored.
    for (const part of parts) part.catch(() => undefined);
    return { head: current.head, parts };
  };
  const site: ChangingSite = {
    versionNow: async () => dataVersionOf(await stateNow()),
    async readAgain() {
      const again = await readHead();
      // The site was deleted or its time zone changed: the response is cut off, and the next request returns the reason.
      if ('status' in again) throw new Error(`The site ${wanted} changed while it was being read.`);
      return readingOf(again);
    },
  };
  return {
    status: 200,
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: null,
    pieces: dashboardLines(readingOf(read), site),
  };
}

interface RequestScope {
  readonly analytics: Analytics;
  readonly request: HostRequest;
  readonly contract: InstalledContract;
  readonly filters: LimitedView['filters'];
}

const BEYOND = 'This link shows a segment, but these numbers cannot be filtered by it.';

/** Whether the query ignores one of the link's filters. */
const isBeyond = ({ unfiltered }: DashboardQuery, filters: LimitedView['filters']): boolean =>
  filters.some(({ isPinned, dimension }) => isPinned && unfiltered.some((one) => one === dimension));

/** An error in one query does not affect the other parts. */
async function answerPart(
  { analytics, request, contract, filters }: RequestScope,
  { id, offset }: Part,
  requested: PartQuery | undefined,
  prefetchedSite: PrefetchedSite,
): Promise<PartAnswer> {
  const refused = (code: string, message: string) => ({
    id,
    query: {},
    unfiltered: [],
    error: { code, message },
  });
  if (requested === undefined) return refused('not_found', `There is no part ${id}.`);
  if ('refusal' in requested) return refused('refused', requested.refusal);
  if (isBeyond(requested, filters)) return refused(BEYOND_LINK, BEYOND);
  const { query, unfiltered } = requested;
  const document = readDocument(JSON.stringify(query));
  const unfilteredLabels = unfiltered.filter(isDimension).map((one) => DIMENSIONS[one].label);
  try {
    const answer = await recorded(analytics, request, document, contract, async () => {
      // Only paginated lists have a total.
      const envelope = offset === undefined ? 'result' : 'data';
      const context = await queryContext(analytics, contract, request, envelope);
      const result = await wholeAnswer(
        await runQuery(document, { ...context, prefetchedSite }, analytics.results),
      );
      return { ...result, answer: result };
    });
    const { columns, rows, truncated, totalCount, page } = answer;
    return {
      id,
      query,
      unfiltered: unfilteredLabels,
      columns,
      rows,
      more: truncated,
      ...(page === null || totalCount === null ? {} : { total: totalCount, version: page.dataVersion }),
    };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return { id, query, unfiltered: unfilteredLabels, error: failureOf(error) };
  }
}

function failureOf({ code, message, hint, details }: QueryError): NonNullable<PartAnswer['error']> {
  const feature = details?.feature;
  return { code, message, hint, feature: typeof feature === 'string' ? feature : undefined };
}

async function answerFile(
  { analytics, request, contract, filters }: RequestScope,
  queryOfRows: (limit: number) => PartQuery | undefined,
): Promise<HostResponse> {
  try {
    const requested = queryOfRows(forStreaming(contract).rules.limits.max_rows);
    if (requested === undefined) return invalid('There is no such part.', 'parts.0.id');
    if ('refusal' in requested) return refuse(409, requested.refusal);
    if (isBeyond(requested, filters)) return refuse(403, BEYOND);
    const document = readDocument(JSON.stringify(requested.query));
    const sent = { request, document, contract, prefetchedSite: undefined };
    return await recorded(analytics, request, document, contract, () =>
      streamedAnswer(analytics, sent, { format: 'csv', forSpreadsheet: true }),
    );
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return { status: error.status, body: { ...failureOf(error), data: { status: error.status } } };
  }
}
