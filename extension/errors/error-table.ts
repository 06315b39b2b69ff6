// Owns THE error table: code -> HTTP status and, from typed parameters, message, hint and details.
// No other file words an error of a query; docs/reference/errors.md is generated from `when`.
import type { Wording } from './query-error';
import { didYouMean, list, quote } from './wording';

interface ErrorEntry<Parameters> {
  readonly status: number;
  readonly when: string;
  readonly say: (parameters: Parameters) => Wording;
}

const entry = <Parameters>(
  status: number,
  when: string,
  say: (parameters: Parameters) => Wording,
): ErrorEntry<Parameters> => ({ status, when, say });

interface Received {
  readonly received: unknown;
  readonly hint?: string | undefined;
}

type ColumnProblem =
  | {
      readonly problem: 'unknown';
      readonly material: string;
      readonly column: string;
      readonly nearest?: string | undefined;
      readonly hint?: string | undefined;
    }
  | {
      readonly problem: 'unknown-source';
      readonly prefix: string;
      readonly column: string;
      readonly sources: readonly string[];
      readonly hint?: string | undefined;
    }
  | {
      readonly problem: 'not-output';
      readonly column: string;
      readonly columns: readonly string[];
      readonly nearest?: string | undefined;
    }
  | ({ readonly problem: 'unqualified' } & Received)
  | { readonly problem: 'empty' }
  | ({ readonly problem: 'not-list' } & Received);

type FilterProblem =
  | ({ readonly problem: 'shape' } & Received)
  | {
      readonly problem: 'operator';
      readonly operator: string;
      readonly operators: readonly string[];
      readonly nearest?: string | undefined;
    }
  | {
      readonly problem: 'operator-for-type';
      readonly operator: string;
      readonly column: string;
      readonly type: string;
      readonly operators: readonly string[];
    }
  | {
      readonly problem: 'value';
      readonly column: string;
      readonly type: string;
      readonly received: unknown;
      readonly expected: string;
      readonly hint?: string | undefined;
    };

export const ERRORS = {
  invalid_version: entry<{ received: string; available: readonly string[] }>(
    404,
    'The `version` parameter names no contract of this server.',
    ({ received, available }) => ({
      message: `There is no version ${quote(received)} here.`,
      hint: `Use version=latest, version=oldest or one of ${list(available)}.`,
      details: { available_versions: available },
    }),
  ),
  E_INVALID_JSON: entry<
    | { problem: 'syntax'; line: number; column: number; hint?: string | undefined }
    | { problem: 'not-object'; received: unknown }
    | { problem: 'repeated-key' | 'reserved-key'; key: string }
    | { problem: 'encoding'; reason: string }
  >(400, 'The body is not JSON, not an object, or repeats a key outside `make`.', (p) => {
    switch (p.problem) {
      case 'syntax':
        return {
          message: `The body is not valid JSON: line ${p.line}, column ${p.column}.`,
          hint: p.hint,
          details: { line: p.line, column: p.column },
        };
      case 'not-object':
        return {
          message: `The body must be one JSON object, but it is ${quote(p.received)}.`,
          hint: 'Send {"qal": {"tracking_id": ..., "materials": [...], "time": {...}, "make": {...}, "result": {...}}}.',
        };
      case 'repeated-key':
        return {
          message: `The key "${p.key}" stands twice in one object.`,
          hint: 'JSON readers disagree on which of the two counts: keep one of them.',
        };
      case 'encoding':
        return { message: p.reason, hint: 'Send UTF-8 JSON with Content-Type: application/json.' };
      case 'reserved-key':
        return { message: `The key "${p.key}" cannot be used.`, hint: 'Choose another name.' };
    }
  }),
  E_MISSING_FIELD: entry<{ key: string; example: string }>(
    400,
    'A required top-level key other than `time` is absent.',
    ({ key, example }) => ({ message: `The query has no "${key}".`, hint: `Add "${key}": ${example}.` }),
  ),
  E_UNKNOWN_FIELD: entry<{
    key: string;
    allowed: readonly string[];
    nearest?: string | undefined;
    hint?: string | undefined;
  }>(
    400,
    'An unknown key at the top, in a material, a view, `time`, `join` or a pair of `join.on`; `qal` beside other keys.',
    ({ key, allowed, nearest, hint }) => ({
      message: `"${key}" is not a key of this object; its keys are ${list(allowed)}.`,
      hint: hint ?? didYouMean(nearest),
    }),
  ),
  E_ALIAS_FORBIDDEN: entry<undefined>(400, '`as` in a material or a view.', () => ({
    message: 'QAL has no "as".',
    hint: 'Take "as" out: materials keep their own names, and a calc is named by its key.',
  })),
  E_UNKNOWN_TRACKING_ID: entry<{
    received: unknown;
    available: readonly { readonly tracking_id: string; readonly domain: string }[];
    nearest?: string | undefined;
  }>(
    400,
    'The `tracking_id` is none of the sites that the user may see.',
    ({ received, available, nearest }) => ({
      message: `There is no site ${quote(received)} among your sites.`,
      hint:
        didYouMean(nearest) ??
        (available.length === 0
          ? 'No site is granted to you: ask the administrator.'
          : `Your sites: ${list(available.map((site) => site.tracking_id))}.`),
      details: { tracking_id: received, available_sites: available },
    }),
  ),
  E_UNKNOWN_MATERIAL: entry<
    | ({ problem: 'shape' } & Received)
    | {
        problem: 'unknown';
        received: string;
        available: readonly string[];
        nearest?: string | undefined;
        hint?: string | undefined;
      }
    | { problem: 'not-listed'; received: string; listed: readonly string[] }
    | { problem: 'not-for-all'; received: string }
  >(
    400,
    '`materials` is not a list of names, is empty, or names a material that the contract or the site does not have; `from` names one that is not listed; `all` with a material that needs one site.',
    (p) => {
      switch (p.problem) {
        case 'shape':
          return {
            message: `"materials" must be a list of objects with a name, but here stands ${quote(p.received)}.`,
            hint: p.hint ?? 'Write "materials": [{"name": "allpv"}].',
          };
        case 'unknown':
          return {
            message: `There is no material "${p.received}".`,
            hint: p.hint ?? didYouMean(p.nearest) ?? `The materials are ${list(p.available)}.`,
            details: { material: p.received, available_materials: p.available },
          };
        case 'not-listed':
          return {
            message: `The material "${p.received}" is not listed in "materials".`,
            hint: `Add {"name": "${p.received}"} to "materials", which lists ${list(p.listed)}.`,
            details: { material: p.received, available_materials: p.listed },
          };
        case 'not-for-all':
          return {
            message: `The material "${p.received}" needs one site; it cannot be asked of "all".`,
            hint: 'Name one tracking_id of the guide.',
            details: { material: p.received },
          };
      }
    },
  ),
  E_TIME_REQUIRED: entry<{ key: string; received: unknown }>(
    400,
    '`time`, or one of its keys, is absent or not text.',
    ({ key, received }) => ({
      message:
        key === 'time'
          ? `"time" must be an object with start, end and tz, but it is ${quote(received)}.`
          : `time.${key} must be text, but here stands ${quote(received)}.`,
      hint: 'Write "time": {"start": "2026-05-01T00:00:00", "end": "2026-06-01T00:00:00", "tz": "Asia/Tokyo"}: start counts, end does not.',
      details: { field: key, required_fields: ['start', 'end', 'tz'] },
    }),
  ),
  E_INVALID_TZ: entry<{ received: string; repaired?: string | undefined }>(
    400,
    '`time.tz` is not a full IANA time zone name.',
    ({ received, repaired }) => ({
      message: `${quote(received)} is not a full IANA time zone name.`,
      hint:
        repaired === undefined
          ? 'Write a name such as "Asia/Tokyo", "Europe/Berlin" or "UTC".'
          : `Write "tz": "${repaired}".`,
    }),
  ),
  E_INVALID_TIME_RANGE: entry<
    | { problem: 'format'; received: string; repaired?: string | undefined }
    | { problem: 'order'; start: string; end: string }
  >(400, '`time.start` or `time.end` is not a real local date-time, or the range is empty.', (p) => {
    switch (p.problem) {
      case 'format':
        return {
          message: `${quote(p.received)} is not a local date-time of the form YYYY-MM-DDTHH:mm:ss.`,
          hint:
            p.repaired === undefined
              ? 'Write a real date without an offset, such as "2026-05-01T00:00:00".'
              : `Write "${p.repaired}".`,
        };
      case 'order':
        return {
          message: `The range is empty: its end ${p.end} is not after its start ${p.start}.`,
          hint: 'The end is exclusive: for the whole of May write "2026-05-01T00:00:00" to "2026-06-01T00:00:00".',
        };
    }
  }),
  E_INVALID_MAKE: entry<Received>(400, '`make` is not an object, or is empty.', ({ received }) => ({
    message: `"make" must be an object with at least one view, but it is ${quote(received)}.`,
    hint: 'Write "make": {"top": {"from": ["allpv"], "keep": ["allpv.url"]}}.',
  })),
  E_INVALID_VIEW_NAME: entry<{
    name: string;
    problem: 'pattern' | 'material' | 'reserved';
    repaired: string;
  }>(
    400,
    'A view is named outside `[a-zA-Z0-9_]+`, or like a material of the query.',
    ({ name, problem, repaired }) => ({
      message: {
        pattern: `The view name ${quote(name)} has other characters than letters, digits and "_".`,
        material: `The view name "${name}" is the name of a material of the query.`,
        reserved: `The view name "${name}" is reserved.`,
      }[problem],
      hint: `Call it "${repaired}".`,
    }),
  ),
  E_DUPLICATE_VIEW: entry<{ name: string }>(400, 'Two views of `make` have one name.', ({ name }) => ({
    message: `Two views are named "${name}".`,
    hint: 'Give each view a name of its own.',
  })),
  E_INVALID_VIEW: entry<
    { problem: 'shape'; received: unknown } | { problem: 'missing'; key: 'from' | 'keep' }
  >(400, 'A view is not an object, or has no `from` or no `keep`.', (p) => {
    switch (p.problem) {
      case 'shape':
        return {
          message: `A view must be an object, but here stands ${quote(p.received)}.`,
          hint: 'Write {"from": ["allpv"], "keep": ["allpv.url"]}.',
        };
      case 'missing':
        return {
          message: `The view has no "${p.key}".`,
          hint:
            p.key === 'from'
              ? 'Add "from": ["allpv"].'
              : 'Add "keep": ["allpv.url"], or "keep": [] beside a calc for one total.',
        };
    }
  }),
  E_INVALID_FROM: entry<Received>(400, '`from` is not a list of exactly one name.', ({ received, hint }) => ({
    message: `"from" must be a list of exactly one name, but it is ${quote(received)}.`,
    hint: hint ?? 'Write "from": ["allpv"].',
  })),
  E_UNKNOWN_VIEW: entry<{ received: string; defined: readonly string[]; nearest?: string | undefined }>(
    400,
    '`result.use` names no view; `from` names neither a material nor an earlier view.',
    ({ received, defined, nearest }) => ({
      message: `There is no view "${received}" to use here.`,
      hint:
        didYouMean(nearest) ??
        (defined.length === 0 ? 'No view is defined before this one.' : `The views are ${list(defined)}.`),
      details: { defined_views: defined },
    }),
  ),
  E_UNKNOWN_COLUMN: entry<ColumnProblem>(
    400,
    'A column of `keep`, `filter` or `sort.by` does not exist; `keep` is empty without calc, or has an entry that is not qualified text.',
    (p) => {
      switch (p.problem) {
        case 'unknown':
          return {
            message: `"${p.material}" has no column "${p.column}".`,
            hint: p.hint ?? didYouMean(p.nearest) ?? 'The columns stand in the guide, in materials.yaml.',
            details: { material: p.material, column: p.column },
          };
        case 'unknown-source':
          return {
            message: `"${p.prefix}.${p.column}" does not belong to this view, which reads ${list(p.sources)}.`,
            hint: p.hint ?? `Write ${list(p.sources.map((source) => `"${source}.${p.column}"`))}.`,
            details: { material: p.prefix, column: p.column },
          };
        case 'not-output':
          return {
            message: `"${p.column}" is not an output column of the view, which has ${list(p.columns)}.`,
            hint: didYouMean(p.nearest) ?? 'Sort by a kept column or by the key of a calc.',
            details: { column: p.column, columns: p.columns },
          };
        case 'unqualified':
          return {
            message: `A column in "keep" is written material.column, but here stands ${quote(p.received)}.`,
            hint: p.hint,
            details: { column: p.received },
          };
        case 'empty':
          return {
            message: '"keep" is empty and the view has no calc, so it would have no column.',
            hint: 'Keep at least one column, or add a calc for one total over everything.',
          };
        case 'not-list':
          return {
            message: `"keep" must be a list of columns, but it is ${quote(p.received)}.`,
            hint: p.hint,
          };
      }
    },
  ),
  E_KEEP_EXPR_FORBIDDEN: entry<{ received: string; hint: string }>(
    400,
    'An expression in `keep`.',
    ({ received, hint }) => ({
      message: `"keep" takes columns only, not the expression ${quote(received)}.`,
      hint,
    }),
  ),
  E_FILTER_INVALID: entry<FilterProblem>(
    400,
    '`filter` is not an object, has an unknown operator, an operator that the type does not have, or a value of another type.',
    (p) => {
      switch (p.problem) {
        case 'shape':
          return {
            message: `A filter maps columns to a value, a list or operators, but here stands ${quote(p.received)}.`,
            hint: p.hint ?? 'Write "filter": {"device_type": "SP", "pv": {"gte": 2}}.',
          };
        case 'operator':
          return {
            message: `There is no filter operator "${p.operator}".`,
            hint: didYouMean(p.nearest) ?? `The operators are ${list(p.operators)}.`,
            details: { operators: p.operators },
          };
        case 'operator-for-type':
          return {
            message: `"${p.operator}" does not work on "${p.column}", which is of type ${p.type}.`,
            hint: `Operators of type ${p.type}: ${list(p.operators)}.`,
            details: { type: p.type, operators: p.operators },
          };
        case 'value':
          return {
            message: `${quote(p.received)} is no value for "${p.column}", which is of type ${p.type}: it takes ${p.expected}.`,
            hint: p.hint,
            details: { type: p.type },
          };
      }
    },
  ),
  E_CALC_INVALID_EXPRESSION: entry<
    | ({ problem: 'shape' } & Received)
    | { problem: 'empty' }
    | ({ problem: 'expression' } & Received)
    | { problem: 'name'; name: string; reason: 'pattern' | 'kept'; repaired: string }
    | { problem: 'type'; function: string; column: string; type: string; types: readonly string[] }
  >(
    400,
    'A calc is not `FUNC(material.column)`, its name is not allowed or is kept already, or its function does not work on the type.',
    (p) => {
      switch (p.problem) {
        case 'shape':
          return {
            message: `"calc" must map names to expressions, but here stands ${quote(p.received)}.`,
            hint: p.hint ?? 'Write "calc": {"views": "COUNT(allpv.pv_id)"}.',
          };
        case 'empty':
          return {
            message: '"calc" is empty.',
            hint: 'Leave "calc" out for plain rows, or name a calculation: {"views": "COUNT(allpv.pv_id)"}.',
          };
        case 'expression':
          return {
            message: `A calc is written FUNC(material.column), but here stands ${quote(p.received)}.`,
            hint: p.hint,
          };
        case 'name':
          return {
            message:
              p.reason === 'kept'
                ? `The calc "${p.name}" has the name of a kept column.`
                : `The calc name ${quote(p.name)} has other characters than letters, digits and "_".`,
            hint: `Call it "${p.repaired}".`,
          };
        case 'type':
          return {
            message: `${p.function} does not work on "${p.column}", which is of type ${p.type}.`,
            hint: `${p.function} takes columns of type ${list(p.types)}; COUNT and COUNTUNIQUE take any.`,
            details: { type: p.type, types: p.types },
          };
      }
    },
  ),
  E_CALC_INVALID_FUNCTION: entry<{
    received: string;
    functions: readonly string[];
    nearest?: string | undefined;
  }>(400, 'An unknown function in a calc.', ({ received, functions, nearest }) => ({
    message: `There is no function "${received}".`,
    hint: didYouMean(nearest) ?? `The functions are ${list(functions)}.`,
    details: { functions },
  })),
  E_CALC_COLUMN_UNRESOLVED: entry<{
    reference: string;
    sources: readonly string[];
    hint?: string | undefined;
  }>(
    400,
    'A calc names a source that the view does not read, or a column that its source does not have.',
    ({ reference, sources, hint }) => ({
      message: `"${reference}" cannot be found: this view reads ${list(sources)}.`,
      hint,
      details: { reference, sources },
    }),
  ),
  E_ADD_NOT_SUBSET_OF_CALC: entry<{ received: unknown; missing: readonly string[]; calc: readonly string[] }>(
    400,
    '`add` names something that is no key of calc.',
    ({ received, missing, calc }) => ({
      message:
        missing.length === 0
          ? `"add" must be a list of names, but it is ${quote(received)}.`
          : `"add" names ${list(missing.map((name) => `"${name}"`))}, which calc does not define.`,
      hint: `Leave "add" out, or make it ${JSON.stringify(calc)}.`,
    }),
  ),
  E_CALC_NOT_SUBSET_OF_ADD: entry<{ missing: readonly string[]; calc: readonly string[] }>(
    400,
    'calc defines a key that `add` does not name.',
    ({ missing, calc }) => ({
      message: `calc defines ${list(missing.map((name) => `"${name}"`))}, which "add" does not name.`,
      hint: `Leave "add" out, or make it ${JSON.stringify(calc)}.`,
    }),
  ),
  E_INVALID_SORT: entry<Received & { problem: 'shape' | 'order' | 'top' | 'key' | 'by' }>(
    400,
    '`sort` has another shape, order, top or key.',
    ({ problem, received, hint }) => ({
      message: {
        shape: `"sort" must be an object, but it is ${quote(received)}.`,
        order: `sort.order must be "asc" or "desc", but it is ${quote(received)}.`,
        top: `sort.top must be a whole number from 1, but it is ${quote(received)}.`,
        by: `sort.by must be the name of an output column, but it is ${quote(received)}.`,
        key: `"sort" has no key ${quote(received)}; its keys are by, order and top.`,
      }[problem],
      hint: hint ?? 'Write "sort": {"by": "views", "order": "desc", "top": 10}.',
    }),
  ),
  E_INVALID_RESULT: entry<Received & { problem: 'shape' | 'use' }>(
    400,
    '`result` is not an object, or `use` is not text.',
    ({ problem, received }) => ({
      message: {
        shape: `"result" must be an object, but it is ${quote(received)}.`,
        use: `result.use must be the name of a view, but it is ${quote(received)}.`,
      }[problem],
      hint: 'Write "result": {"use": "top", "limit": 100}.',
    }),
  ),
  E_RESULT_FORBIDDEN_KEY: entry<{ key: string; hint?: string | undefined }>(
    400,
    'A key of `result` other than `use`, `limit` and `count_only`.',
    ({ key, hint }) => ({
      message: `"result" has no key "${key}"; its keys are use, limit and count_only.`,
      hint,
    }),
  ),
  E_INVALID_LIMIT: entry<{ received: unknown; max: number; hint?: string | undefined }>(
    400,
    '`result.limit` is not a whole number in range.',
    ({ received, max, hint }) => ({
      message: `result.limit must be a whole number from 1 to ${max}, but it is ${quote(received)}.`,
      hint: hint ?? `Write "limit": ${typeof received === 'number' && received > max ? max : 1000}.`,
    }),
  ),
  E_INVALID_COUNT_ONLY: entry<Received>(400, '`result.count_only` is not true or false.', ({ received }) => ({
    message: `result.count_only must be true or false, but it is ${quote(received)}.`,
    hint: 'Write "count_only": true, or leave it out.',
  })),
  E_FEATURE_DISABLED: entry<{ feature: string; hint?: string | undefined }>(
    400,
    'The feature is switched off on this server.',
    ({ feature, hint }) => ({
      message: `The feature "${feature}" is off on this server.`,
      hint: hint ?? 'features_detail of the guide tells which features are on.',
      details: { feature },
    }),
  ),
  E_QUERY_TOO_LARGE: entry<{ what: 'views' | 'columns' | 'values' | 'levels'; count: number; max: number }>(
    400,
    'More views, columns in a view, values in a list, or levels of nesting than a query may have.',
    ({ what, count, max }) => ({
      message: {
        views: `The query has ${count} views; at most ${max} are allowed.`,
        columns: `The view has ${count} columns; at most ${max} are allowed.`,
        values: `The list has ${count} values; at most ${max} are allowed.`,
        levels: `The body is nested ${count} levels deep; at most ${max} are allowed.`,
      }[what],
      hint: 'Split the question into several queries.',
      details: { max },
    }),
  ),
  E_UNAUTHORIZED: entry<{ reason: string }>(401, 'Credentials are missing or wrong.', ({ reason }) => ({
    message: reason,
    hint: 'Send Authorization: Basic base64(user:application password). Application passwords are made by the user; the login password is not accepted.',
  })),
  E_RATE_LIMITED: entry<{ limit: number; windowSeconds: number; retryAfterSeconds: number }>(
    429,
    'More requests than the user may send in a minute or an hour.',
    ({ limit, windowSeconds, retryAfterSeconds }) => ({
      message: `More than ${limit} requests in ${windowSeconds} seconds.`,
      hint: `Try again in ${retryAfterSeconds} seconds.`,
      details: { limit, window_seconds: windowSeconds, retry_after_seconds: retryAfterSeconds },
    }),
  ),
  E_BODY_TOO_LARGE: entry<{ limitBytes: number }>(
    413,
    'The body is larger than the server reads.',
    ({ limitBytes }) => ({
      message: `The body is larger than ${limitBytes} bytes.`,
      hint: 'Split the question into several queries.',
      details: { limit_bytes: limitBytes },
    }),
  ),
  E_TIMEOUT: entry<{ seconds: number }>(
    504,
    'The query took longer than the server allows.',
    ({ seconds }) => ({
      message: `The query took longer than ${seconds} seconds and was stopped.`,
      hint: 'Ask for a shorter time range, or keep fewer columns.',
      details: { timeout_seconds: seconds },
    }),
  ),
  E_EXECUTOR_FAILED: entry<{ requestId: string }>(500, 'A fault of the server.', ({ requestId }) => ({
    message: `The server failed on this query; the fault is logged under request ${requestId}.`,
    details: { request_id: requestId },
  })),
};

export type ErrorCode = keyof typeof ERRORS;
export type ErrorParameters<Code extends ErrorCode> = Parameters<(typeof ERRORS)[Code]['say']>[0];
