// Small resolved queries and results for tests of the result cache.

import type { HeldRows, Value } from '../../../extension/language/types/query-result';
import type {
  ResolvedQuery,
  ResolvedView,
  SiteState,
} from '../../../extension/language/types/resolved-query';
import type { HeldResult } from '../../../extension/query/result-cache/result-cache';

const VIEW: ResolvedView = {
  name: 'v',
  material: 'allpv',
  keys: [],
  range: { start: 0, end: 0, zone: 'UTC' },
  reads: 1,
  source: {
    kind: 'material',
    material: 'allpv',
    rows: 'allpv',
    time: null,
    joinedAlways: false,
    order: [],
    only: [],
  },
  filter: [],
  join: null,
  keep: [],
  calc: null,
  sort: null,
  fillPeriods: null,
  output: [],
  isPerSite: false,
};

const STATE: SiteState = { siteId: 1, version: 'first' };

/** A query that is identified by its limit and its sites. By default, it reads one site. */
export const someQuery = (limit: number, ...states: readonly Partial<SiteState>[]): ResolvedQuery => {
  const known = (states.length === 0 ? [{}] : states).map((state) => ({ ...STATE, ...state }));
  return {
    scope: { trackingId: 'shop', all: false, siteIds: known.map(({ siteId }) => siteId), states: known },
    isVersioned: true,
    range: { start: 0, end: 1, zone: 'UTC' },
    views: [VIEW],
    use: VIEW,
    limit,
    offset: 0,
    countOnly: false,
  };
};

export const someResult = (...rows: readonly (readonly Value[])[]): HeldResult => ({
  view: 'v',
  columns: [{ name: 'url', type: 'text' }],
  rows: someRows(rows),
  rowCount: rows.length,
  count: null,
  limit: 1,
  totalCount: null,
  truncated: false,
  answeredBy: { engine: 'rows', because: 'This server has no columnar copy.' },
});

function someRows(rows: readonly (readonly Value[])[]): HeldRows {
  const text = Buffer.from(JSON.stringify(rows).slice(1, -1));
  return {
    bytes: text.length,
    async *texts() {
      yield text;
    },
    async *batches() {
      yield rows;
    },
    hold() {},
    release() {},
    isGone: false,
  };
}

/** A promise that the test can settle. */
export function promised<Result>() {
  let resolve: (result: Result) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<Result>((onResult, onFailure) => {
    resolve = onResult;
    reject = onFailure;
  });
  return { promise, resolve, reject };
}
