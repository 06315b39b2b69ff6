// Owns the translation of a fault of shape into the error of its place.
// place + what was received -> QueryError with the right form of that very value.
import type { Contract } from '../../contracts/contract';
import { type QueryError, queryError } from '../../errors/query-error';
import { usableName } from '../names/usable-name';
import { repairedLocalDateTime } from '../time/local-time';
import { isJsonList, isJsonObject, type JsonValue, valueAt } from '../types/json';
import { formatPath, type Path } from '../types/path';
import { calcExpressionFault, keepEntryFault } from './expression-faults';
import { filterValueFault } from './filter-faults';

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

const EXAMPLES = {
  tracking_id: '"demo", one of the sites of the guide',
  materials: '[{"name": "allpv"}]',
  make: '{"top": {"from": ["allpv"], "keep": ["allpv.url"]}}',
  result: '{"use": "top"}',
} as const;

const LONGEST_REPEATED = 200;

/** A text that a hint may repeat. */
const repeatable = (received: JsonValue | undefined): string | undefined =>
  typeof received === 'string' && received.length <= LONGEST_REPEATED ? received : undefined;

/** Absent: the error of a missing key; present: the error of its shape. */
const orMissing =
  (key: keyof typeof EXAMPLES, explain: Explain): Explain =>
  (fault) =>
    fault.received === undefined && fault.path.length === 1
      ? queryError('E_MISSING_FIELD', key, { key, example: EXAMPLES[key] })
      : explain(fault);

const materials: Explain = ({ at, received }) => {
  const name = repeatable(received);
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

const view: Explain = ({ at, path, received, contract }) => {
  const name = String(path[1]);
  if (!new RegExp(contract.rules.request.view_name).test(name)) {
    return queryError('E_INVALID_VIEW_NAME', at, {
      name,
      problem: 'pattern',
      repaired: usableName(name, 'view'),
    });
  }
  return queryError('E_INVALID_VIEW', at, { problem: 'shape', received });
};

const from: Explain = ({ path, received }) => {
  const at = formatPath(path.slice(0, 3));
  if (received === undefined && path.length === 3) {
    return queryError('E_INVALID_VIEW', formatPath(path.slice(0, 2)), { problem: 'missing', key: 'from' });
  }
  const name = repeatable(received);
  const hint = name === undefined ? undefined : `Write "from": [${JSON.stringify(name)}].`;
  return queryError('E_INVALID_FROM', at, { received, hint });
};

const keep: Explain = ({ at, path, received }) => {
  if (received === undefined) {
    return queryError('E_INVALID_VIEW', formatPath(path.slice(0, 2)), { problem: 'missing', key: 'keep' });
  }
  const column = repeatable(received);
  const hint = column === undefined ? undefined : `Write "keep": [${JSON.stringify(column)}].`;
  return queryError('E_UNKNOWN_COLUMN', at, { problem: 'not-list', received, hint });
};

const filter: Explain = ({ at, received }) =>
  queryError('E_FILTER_INVALID', at, { problem: 'shape', received });

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

/** The sort that was probably meant, made of what was written: nothing is cut that the caller did not cut. */
const sort: Explain = ({ at, received }) => {
  const first = isJsonList(received) ? received[0] : received;
  const by = repeatable(isJsonObject(first) ? first.by : first);
  const order = isJsonObject(first) ? orderOf(first.order) : undefined;
  const several = isJsonList(received) && received.length > 1 ? ' One view has one sort.' : '';
  const hint =
    by !== undefined
      ? `Write "sort": ${JSON.stringify({ by, order: order ?? 'desc' })}.${several}`
      : undefined;
  return queryError('E_INVALID_SORT', at, { problem: 'shape', received, hint });
};

const orderOf = (value: JsonValue | undefined): 'asc' | 'desc' | undefined => {
  if (typeof value !== 'string') return undefined;
  if (/^asc/i.test(value)) return 'asc';
  return /^desc/i.test(value) ? 'desc' : undefined;
};

const sortHints: Readonly<Record<'by' | 'order' | 'top', (received: JsonValue | undefined) => string>> = {
  by: () => 'Write "by" as the name of a kept column or of a calc.',
  order: (received) => {
    const meant = orderOf(received);
    return meant === undefined ? 'Write "order": "asc" or "order": "desc".' : `Write "order": "${meant}".`;
  },
  top: () => 'Write a whole number from 1, or leave "top" out to keep all rows.',
};

const sortKey =
  (problem: 'by' | 'order' | 'top'): Explain =>
  ({ at, received }) =>
    queryError('E_INVALID_SORT', at, { problem, received, hint: sortHints[problem](received) });

const limit: Explain = ({ at, received, contract }) => {
  const max = contract.rules.limits.max_rows;
  const number = typeof received === 'string' ? Number(received) : Number.NaN;
  const hint =
    Number.isInteger(number) && number >= 1 && number <= max ? `Write "limit": ${number}.` : undefined;
  return queryError('E_INVALID_LIMIT', at, { received, max, hint });
};

/** The longest pattern that a path begins with explains its fault. */
const PLACES: readonly (readonly [pattern: string, explain: Explain])[] = [
  [
    'tracking_id',
    ({ at }) => queryError('E_MISSING_FIELD', at, { key: 'tracking_id', example: EXAMPLES.tracking_id }),
  ],
  ['materials', orMissing('materials', materials)],
  ['time', timeKey],
  ['make', orMissing('make', ({ at, received }) => queryError('E_INVALID_MAKE', at, { received }))],
  ['make.*', view],
  ['make.*.from', from],
  ['make.*.keep', keep],
  ['make.*.keep.*', keepEntryFault],
  ['make.*.filter', filter],
  ['make.*.filter.*', filterValueFault],
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
