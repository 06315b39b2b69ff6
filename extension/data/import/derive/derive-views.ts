// Derives columns in a row of page views: the URL as it is stored, where the visit came from, the device from the user agent, and
// the visitor from the address. A column that has a value in the file is not derived.
import { inColumn } from '../import-error';
import type { TimeParser } from '../parse-time';
import { PLACE_COLUMNS, type PlaceOf } from './place-of-address';
import { type PageAddress, type SiteAddresses, UTM_NAMES } from './site-addresses';
import type { Agent } from './user-agent';

export interface DeriveContext {
  readonly site: SiteAddresses;
  readonly parseTime: TimeParser;
  agentOf(text: string): Agent;
  /** Looks up the location of an IP address; absent if there is no GeoIP database. */
  readonly placeOf?: PlaceOf;
  visitorOf(ip: string, agent: string, at: number): number;
}

/** Whether the traffic columns of a file describe each view or its whole visit. */
type Traffic = 'view' | 'visit';

const TRAFFIC_COLUMNS = ['source_domain', 'referrer', ...UTM_NAMES, 'click_id_name'] as const;
/** Prefix of view-level columns; a visit takes the values of its first view. */
export const OF_VIEW = 'view.';
/** The visitor identified by an address and a user agent. */
export const READER_OF_ADDRESS = `${OF_VIEW}reader_id`;

const CLICK_ID_OF_VIEW = `${OF_VIEW}click_id_name`;
const UTM_OF_VIEW = UTM_NAMES.map((name) => [name, `${OF_VIEW}${name}`] as const);

/** A row while it is being completed: columns by name; null, undefined and '' mean unknown. */
export type OpenRow = Record<string, unknown>;

export const isKnown = (value: unknown): boolean => value !== null && value !== undefined && value !== '';

/**
 * Returns a function that completes a row in place: a page view with derived columns, any other row with the
 * stored form of its URL. The function throws a BadValue for an invalid value.
 */
export function rowCompleter(
  material: string,
  traffic: Traffic,
  context: DeriveContext,
): (row: OpenRow) => void {
  if (material === 'allpv') return (row) => deriveView(row, traffic, context);
  return (row) => void cleanAddress(row, 'url', context.site);
}

function deriveView(row: OpenRow, given: Traffic, context: DeriveContext): void {
  const { user_agent: agent, ip } = row;
  const page = cleanAddress(row, 'url', context.site);
  cleanAddress(row, 'prev_url', context.site);
  cleanAddress(row, 'next_url', context.site);
  // A row with an address or a user agent describes a request.
  const traffic = isKnown(agent) || isKnown(ip) ? 'view' : given;
  if (traffic === 'view') deriveTraffic(row, page, context.site);
  else deriveSource(row, page, context.site);
  if (typeof agent === 'string' && agent !== '')
    for (const [name, value] of Object.entries(context.agentOf(agent))) fillIn(row, name, value);
  if (typeof ip === 'string' && ip !== '')
    deriveVisitor(row, ip, typeof agent === 'string' ? agent : '', context);
  row.user_agent = undefined;
  row.ip = undefined;
}

/** Converts a URL to its stored form. */
function cleanAddress(row: OpenRow, column: string, site: SiteAddresses): PageAddress | undefined {
  const value = row[column];
  if (typeof value !== 'string' || value === '') return undefined;
  const page = inColumn(column, value, site.pageAddress);
  row[column] = page.url;
  return page;
}

function deriveTraffic(row: OpenRow, page: PageAddress | undefined, site: SiteAddresses): void {
  const { referrer } = row;
  const from = typeof referrer === 'string' && referrer !== '' ? site.referrer(referrer) : null;
  fillIn(row, 'view.referrer', from?.referrer);
  fillIn(row, 'view.source_domain', isKnown(row.source_domain) ? row.source_domain : from?.sourceDomain);
  fillInClick(
    row,
    UTM_NAMES.some((name) => isKnown(row[name])) ? row : page?.utm,
    row.click_id_name || page?.clickId,
  );
  for (const name of TRAFFIC_COLUMNS) if (name in row) row[name] = undefined;
}

function deriveSource(row: OpenRow, page: PageAddress | undefined, site: SiteAddresses): void {
  if (TRAFFIC_COLUMNS.some((name) => isKnown(row[name]))) {
    if (typeof row.referrer === 'string' && row.referrer !== '' && !isKnown(row.source_domain))
      row.source_domain = site.referrer(row.referrer)?.sourceDomain;
    return;
  }
  if (page === undefined) return;
  fillInClick(row, page.utm, page.clickId);
}

function deriveVisitor(row: OpenRow, ip: string, agent: string, context: DeriveContext): void {
  if (context.placeOf !== undefined) fillInPlace(row, context.placeOf(ip));
  if (isKnown(row.reader_id) || isKnown(row.original_id)) return;
  const at = inColumn('access_time', row.access_time, context.parseTime);
  row.access_time = at;
  row[READER_OF_ADDRESS] = context.visitorOf(ip, agent, at);
}

/** Fills in the campaign and the click id of the click that led to a view. */
function fillInClick(row: OpenRow, utm: OpenRow | undefined, clickId: unknown): void {
  if (utm !== undefined) for (const [name, ofView] of UTM_OF_VIEW) fillIn(row, ofView, utm[name]);
  fillIn(row, CLICK_ID_OF_VIEW, clickId);
}

/** Completes the location in the file with the one that was looked up, unless the two contradict each other. */
function fillInPlace(row: OpenRow, place: ReturnType<PlaceOf>): void {
  if (PLACE_COLUMNS.some((name) => isKnown(row[name]) && row[name] !== place[name])) return;
  for (const name of PLACE_COLUMNS) fillIn(row, name, place[name]);
}

/** Sets a column that is still unknown. An unknown value is not set, because rows with fewer columns are read faster. */
function fillIn(row: OpenRow, name: string, value: unknown): void {
  if (isKnown(value) && !isKnown(row[name])) row[name] = value;
}
