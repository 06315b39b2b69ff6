// For each error code and contract, a request that causes the error, or the reason why no request can. codes.test.ts fails for a
// code without an entry here.
import type { ErrorCode } from '../../../extension/language/errors/error-table';
import { ROWS, type Version } from './contract-host';

/** The cause of an error: a body, a condition of the server or the request, or (`never`) the reason why no request causes it. */
export type Cause =
  | { readonly body: object | string }
  | {
      readonly cause:
        | 'version'
        | 'credentials'
        | 'large body'
        | 'parameter'
        | 'rate limit'
        | 'lock'
        | 'no database'
        | 'broken table';
    }
  | { readonly never: string };

const view = ROWS.make.rows;
const body = (changes: object): Cause => ({ body: { ...ROWS, ...changes } });
const rows = (changes: object): Cause => body({ make: { rows: { ...view, ...changes } } });
const { tracking_id: _, ...withoutSite } = ROWS;
const { time: __, ...withoutTime } = ROWS;

const both = (cause: Cause): Readonly<Record<Version, Cause>> => ({
  '2025-10-20': cause,
  '2026-05-11': cause,
});

/** Codes for clauses that the initial contract rejects with E_FEATURE_NOT_SUPPORTED. */
const later = (cause: Cause): Readonly<Record<Version, Cause>> => ({
  '2025-10-20': { never: 'the contract does not have the clause and reports E_FEATURE_NOT_SUPPORTED' },
  '2026-05-11': cause,
});

const join = (changes: object): Cause =>
  body({
    materials: [{ name: 'allpv' }, { name: 'click_event' }],
    make: {
      rows: {
        ...view,
        join: {
          with: 'click_event',
          on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }],
          ...changes,
        },
      },
    },
  });

export const CODE_REQUESTS: Readonly<Record<ErrorCode, Readonly<Record<Version, Cause>>>> = {
  invalid_version: both({ cause: 'version' }),
  E_UNAUTHORIZED: both({ cause: 'credentials' }),
  E_RATE_LIMITED: both({ cause: 'rate limit' }),
  E_BODY_TOO_LARGE: both({ cause: 'large body' }),
  E_TIMEOUT: both({ cause: 'lock' }),
  E_UNAVAILABLE: both({ cause: 'no database' }),
  E_EXECUTOR_FAILED: both({ cause: 'broken table' }),

  E_INVALID_PARAMETER: {
    '2025-10-20': { never: 'the contract does not have this parameter and reports E_FEATURE_NOT_SUPPORTED' },
    '2026-05-11': { cause: 'parameter' },
  },
  E_INVALID_JSON: both({ body: '{"qal": ' }),
  E_MISSING_FIELD: both({ body: withoutSite }),
  E_UNKNOWN_FIELD: both(body({ versoin: '2026-05-11' })),
  E_ALIAS_FORBIDDEN: both(body({ materials: [{ name: 'allpv', as: 'views' }] })),
  E_UNKNOWN_TRACKING_ID: both(body({ tracking_id: 'shopp' })),
  E_UNKNOWN_MATERIAL: both(body({ materials: [{ name: 'pageviews' }] })),
  E_TIME_REQUIRED: both({ body: withoutTime }),
  E_INVALID_TZ: both(body({ time: { ...ROWS.time, tz: 'JST' } })),
  E_INVALID_TIME_RANGE: both(body({ time: { ...ROWS.time, start: '2026-05-01' } })),
  E_INVALID_MAKE: both(body({ make: {} })),
  E_INVALID_VIEW_NAME: both(body({ make: { 'my rows': view } })),
  E_DUPLICATE_VIEW: both({
    body: JSON.stringify(ROWS).replace('"make":{', `"make":{"rows":${JSON.stringify(view)},`),
  }),
  E_INVALID_VIEW: both(body({ make: { rows: { keep: ['allpv.url'] } } })),
  E_INVALID_FROM: both(rows({ from: 'allpv' })),
  E_UNKNOWN_VIEW: both(body({ result: { use: 'row' } })),
  E_UNKNOWN_COLUMN: both(rows({ keep: ['allpv.country'] })),
  E_KEEP_EXPR_FORBIDDEN: both(rows({ keep: ['COUNT(allpv.pv_id)'] })),
  E_INVALID_RESULT: both(body({ result: 'rows' })),
  E_RESULT_FORBIDDEN_KEY: both(body({ result: { use: 'rows', page: 2 } })),
  E_DATA_CHANGED: {
    '2025-10-20': { never: 'the contract does not support reading in pages' },
    '2026-05-11': body({ result: { use: 'rows', data_version: 'older' } }),
  },
  E_INVALID_LIMIT: both(body({ result: { use: 'rows', limit: 50_001 } })),
  E_INVALID_COUNT_ONLY: both(body({ result: { use: 'rows', count_only: 'yes' } })),
  E_QUERY_TOO_LARGE: both(
    body({ make: Object.fromEntries(Array.from({ length: 65 }, (_none, i) => [`v${i}`, view])) }),
  ),

  E_FILTER_INVALID: later(rows({ filter: { url: { like: '/a' } } })),
  E_INVALID_JOIN: later(join({ on: [{ left: 'rows.pv_id', right: 'click_event.pv_id' }] })),
  E_CALC_INVALID_EXPRESSION: later(rows({ calc: { views: 'COUNT(*)' } })),
  E_CALC_INVALID_FUNCTION: later(rows({ calc: { views: 'VARIANCE(allpv.pv_id)' } })),
  E_CALC_COLUMN_UNRESOLVED: later(rows({ calc: { views: 'COUNT(click_event.pv_id)' } })),
  E_ADD_NOT_SUBSET_OF_CALC: later(rows({ calc: { views: 'COUNT(allpv.pv_id)' }, add: ['views', 'visits'] })),
  E_CALC_NOT_SUBSET_OF_ADD: later(rows({ calc: { views: 'COUNT(allpv.pv_id)' }, add: [] })),
  E_INVALID_SORT: later(rows({ sort: { by: 'url' } })),

  E_FEATURE_NOT_SUPPORTED: {
    '2025-10-20': rows({ filter: { pv: 1 } }),
    '2026-05-11': {
      never: 'the latest contract has every feature; one that is switched off reports E_FEATURE_DISABLED',
    },
  },
  E_FEATURE_DISABLED: {
    '2025-10-20': { never: 'none of its features is on, so none can be switched off' },
    '2026-05-11': body({ result: { use: 'rows', sample: 0.1 } }),
  },
};
