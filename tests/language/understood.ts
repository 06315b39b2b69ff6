// Checks queries without a database, using the real manifest and the sites in data/.
import { installedContracts } from '../../extension/api/contracts/choose-contract';
import { QueryError } from '../../extension/language/errors/query-error';
import { readDocument } from '../../extension/language/parse/read-document';
import { usableZones } from '../../extension/language/time/zones';
import type { ParsedQuery } from '../../extension/language/types/parsed-query';
import type { Scope } from '../../extension/language/types/resolved-query';
import { findFaults, understandQuery } from '../../extension/query/understand-query';
import { loadManifest } from '../../manifests/reader/manifest';

const manifest = loadManifest();
const contract = installedContracts(manifest).at(-1);
if (contract === undefined) throw new Error('No contract is installed.');

/** Zone names that the database has but the runtime does not. */
const OTHER_ZONES = ['Etc/GMT-9', 'Etc/GMT+3', 'Etc/GMT+5', 'Australia/North'];

/** In tests, an exception in the search for a hint makes the query fail. */
export const rethrow = (error: unknown): never => {
  throw error;
};

/** For queries under the newest contract. */
export const CATALOGUE = {
  contract,
  manifest,
  onHintFailure: rethrow,
  zones: usableZones([...Intl.supportedValuesOf('timeZone'), ...OTHER_ZONES]),
};

const site = (siteId: number, trackingId: string, goals: readonly string[]): Scope => ({
  trackingId,
  all: false,
  siteIds: [siteId],
  states: [{ siteId, version: 'first' }],
  goals: goals.map((name, index) => ({ number: index + 1, names: [name], isSame: true })),
  events: new Map([
    [
      'purchase',
      new Map([
        ['currency', 'string'],
        ['value', 'number'],
      ]),
    ],
  ]),
  unavailable: new Set(),
});

export const SHOP = site(1, 'shop', ['Page A', 'Buy', 'Euro purchase']);
const BLOG = site(2, 'blog', ['Post']);
const QUIET = site(3, 'quiet', []);

export const ALL: Scope = {
  ...SHOP,
  trackingId: 'all',
  all: true,
  siteIds: [1, 2],
  states: [...SHOP.states, ...BLOG.states],
  goals: [{ number: 1, names: ['Page A', 'Post'], isSame: false }, ...SHOP.goals.slice(1)],
};

export const scopeOf = async ({ trackingId }: ParsedQuery) =>
  [ALL, BLOG, QUIET].find((scope) => scope.trackingId === trackingId) ?? SHOP;

export const understood = (body: string) => understandQuery(readDocument(body), CATALOGUE, scopeOf);

export const faultsOf = (body: string) => findFaults(readDocument(body), CATALOGUE, scopeOf);

/** The error of an invalid query. */
export async function faultOf(body: string): Promise<QueryError> {
  const error: unknown = await understood(body).catch((thrown) => thrown);
  if (error instanceof QueryError) return error;
  throw error instanceof Error ? error : new Error('The query is valid.');
}

/** A query on the page views of the site `shop` in May 2026. */
export const bodyOf = (view: object, changes: object = {}): string =>
  JSON.stringify({
    tracking_id: 'shop',
    materials: [{ name: 'allpv' }],
    time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
    make: { v: { from: ['allpv'], keep: ['allpv.pv_id'], ...view } },
    result: { use: 'v' },
    ...changes,
  });
