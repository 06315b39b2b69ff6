// Owns the translation of a fault of shape into the error of its place.
// place + what was received -> QueryError with the right form of that very value.
import type { Contract } from '../../contracts/contract';
import { type QueryError, queryError } from '../../errors/query-error';
import { nearest } from '../names/nearest';
import { repairedLocalDateTime } from '../time/local-time';
import type { JsonValue } from '../types/json';
import { FILTER_OPERATORS } from '../types/parsed-query';
import { formatPath, type Path } from '../types/path';
import { calcExpressionFault, keepEntryFault } from './expression-faults';

export interface Fault {
  readonly at: string | undefined;
  readonly path: Path;
  /** undefined = the key is absent. */
  readonly received: JsonValue | undefined;
  /** The query as sent. */
  readonly query: JsonValue;
  readonly contract: Contract;
}

type Explain = (fault: Fault) => QueryError;

const EXAMPLES: Readonly<Record<string, string>> = {
  tracking_id: '"demo", one of the sites of the guide',
  materials: '[{"name": "allpv"}]',
  make: '{"top": {"from": ["allpv"], "keep": ["allpv.url"]}}',
  result: '{"use": "top"}',
};

/** Absent: the error of a missing key; present: the error of its shape. */
const orMissing =
  (key: string, explain: Explain): Explain =>
  (fault) =>
    fault.received === undefined
      ? queryError('E_MISSING_FIELD', key, { key, example: EXAMPLES[key] ?? '...' })
      : explain(fault);

const materials: Explain = ({ at, received }) => {
  const name = typeof received === 'string' ? received : undefined;
  const hint = name === undefined ? undefined : `Write "materials": [{"name": "${name}"}].`;
  return queryError('E_UNKNOWN_MATERIAL', at, { problem: 'shape', received, hint });
};

const timeKey: Explain = ({ at, path, received }) => {
  const key = String(path[1] ?? 'time');
  if (path.length === 1 || typeof received !== 'string')
    return queryError('E_TIME_REQUIRED', at, { key, received });
  return queryError('E_INVALID_TIME_RANGE', at, {
    problem: 'format',
    received,
    repaired: repairedLocalDateTime(received),
  });
};

const viewName = (name: string): string =>
  name.replace(/[^a-zA-Z0-9_]+/g, '_').replace(/^_+|_+$/g, '') || 'view';

const view: Explain = ({ at, path, received, contract }) => {
  const name = String(path[1]);
  if (!new RegExp(contract.rules.request.view_name).test(name)) {
    return queryError('E_INVALID_VIEW_NAME', at, { name, problem: 'pattern', repaired: viewName(name) });
  }
  return queryError('E_INVALID_VIEW', at, { problem: 'shape', received });
};

const from: Explain = ({ path, received }) => {
  const at = formatPath(path.slice(0, 3));
  if (received === undefined && path.length === 3) {
    return queryError('E_INVALID_VIEW', formatPath(path.slice(0, 2)), { problem: 'missing', key: 'from' });
  }
  const hint = typeof received === 'string' ? `Write "from": [${JSON.stringify(received)}].` : undefined;
  return queryError('E_INVALID_FROM', at, { received, hint });
};

const keep: Explain = ({ at, path, received }) => {
  if (received === undefined) {
    return queryError('E_INVALID_VIEW', formatPath(path.slice(0, 2)), { problem: 'missing', key: 'keep' });
  }
  const hint = typeof received === 'string' ? `Write "keep": [${JSON.stringify(received)}].` : undefined;
  return queryError('E_UNKNOWN_COLUMN', at, { problem: 'not-list', received, hint });
};

const filter: Explain = ({ at, received }) =>
  queryError('E_FILTER_INVALID', at, { problem: 'shape', received });

const filterValue: Explain = ({ path, received }) => {
  const at = formatPath(path.slice(0, 4));
  if (received !== null && typeof received === 'object' && !Array.isArray(received)) {
    const known: readonly string[] = FILTER_OPERATORS;
    const unknown = Object.keys(received).find((key) => !known.includes(key));
    if (unknown !== undefined) {
      const near = nearest(unknown, known);
      return queryError('E_FILTER_INVALID', `${at}.${unknown}`, {
        problem: 'operator',
        operator: unknown,
        operators: known,
        nearest: near,
      });
    }
  }
  const hint =
    'Write a value, a list of values without null, or operators such as {"gte": 2} and {"between": [1, 5]}.';
  return queryError('E_FILTER_INVALID', at, { problem: 'shape', received, hint });
};

const calc: Explain = ({ at, received }) => {
  const empty = received !== null && typeof received === 'object' && Object.keys(received).length === 0;
  return empty && !Array.isArray(received)
    ? queryError('E_CALC_INVALID_EXPRESSION', at, { problem: 'empty' })
    : queryError('E_CALC_INVALID_EXPRESSION', at, { problem: 'shape', received });
};

const add: Explain = ({ path, received, query }) => {
  const calcOf = valueAt(query, [...path.slice(0, 2), 'calc']);
  const names = calcOf !== null && typeof calcOf === 'object' ? Object.keys(calcOf) : [];
  return queryError('E_ADD_NOT_SUBSET_OF_CALC', formatPath(path.slice(0, 3)), {
    received,
    missing: [],
    calc: names,
  });
};

const sort: Explain = ({ at, received }) => {
  const first = Array.isArray(received) ? received[0] : undefined;
  const hint =
    first !== null && typeof first === 'object' && !Array.isArray(first)
      ? `Write "sort": ${JSON.stringify(first)}; one view has one sort.`
      : undefined;
  return queryError('E_INVALID_SORT', at, { problem: 'shape', received, hint });
};

const sortKey =
  (problem: 'by' | 'order' | 'top'): Explain =>
  ({ at, received }) => {
    const folded = typeof received === 'string' ? received.toLowerCase() : undefined;
    const hint =
      problem === 'order' && folded !== undefined && /^(asc|desc)/.test(folded)
        ? `Write "order": "${folded.startsWith('asc') ? 'asc' : 'desc'}".`
        : undefined;
    return queryError('E_INVALID_SORT', at, { problem, received, hint });
  };

const limit: Explain = ({ at, received, contract }) => {
  const max = contract.rules.limits.max_rows;
  const number = typeof received === 'string' ? Number(received) : Number.NaN;
  const hint =
    Number.isInteger(number) && number >= 1 && number <= max ? `Write "limit": ${number}.` : undefined;
  return queryError('E_INVALID_LIMIT', at, { received, max, hint });
};

/** The longest pattern that a path begins with explains its fault. */
const PLACES: readonly (readonly [pattern: string, explain: Explain])[] = [
  ['tracking_id', orMissing('tracking_id', materials)],
  ['materials', orMissing('materials', materials)],
  ['time', timeKey],
  ['make', orMissing('make', ({ at, received }) => queryError('E_INVALID_MAKE', at, { received }))],
  ['make.*', view],
  ['make.*.from', from],
  ['make.*.keep', keep],
  ['make.*.keep.*', keepEntryFault],
  ['make.*.filter', filter],
  ['make.*.filter.*', filterValue],
  ['make.*.calc', calc],
  ['make.*.calc.*', calcExpressionFault],
  ['make.*.add', add],
  ['make.*.sort', sort],
  ['make.*.sort.by', sortKey('by')],
  ['make.*.sort.order', sortKey('order')],
  ['make.*.sort.top', sortKey('top')],
  [
    'result',
    orMissing('result', ({ at, received }) =>
      queryError('E_INVALID_RESULT', at, { problem: 'shape', received }),
    ),
  ],
  ['result.use', ({ at, received }) => queryError('E_INVALID_RESULT', at, { problem: 'use', received })],
  ['result.limit', limit],
  ['result.count_only', ({ at, received }) => queryError('E_INVALID_COUNT_ONLY', at, { received })],
];

const explainers = PLACES.map(([pattern, explain]) => ({ steps: pattern.split('.'), explain })).sort(
  (a, b) => b.steps.length - a.steps.length,
);

/** The error of a fault at a path of a query. */
export function explainFault(path: Path, query: JsonValue, contract: Contract): QueryError {
  const found = explainers.find(({ steps }) =>
    steps.every((step, i) => (step === '*' ? path[i] !== undefined : step === path[i])),
  );
  if (found === undefined) {
    return queryError('E_INVALID_JSON', formatPath(path), { problem: 'not-object', received: query });
  }
  return found.explain({ at: formatPath(path), path, received: valueAt(query, path), query, contract });
}

/** The value at a path; undefined where there is none. */
export function valueAt(root: JsonValue, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const step of path) {
    if (value === undefined || value === null || typeof value !== 'object') return undefined;
    value = (value as { readonly [key: string | number]: JsonValue })[step];
  }
  return value;
}
