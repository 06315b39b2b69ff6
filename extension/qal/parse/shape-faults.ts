// Owns the translation of a fault of shape into the error of its place.
// place + what was received -> QueryError with the right form of that very value.
import type { Contract } from '../../contracts/contract';
import type { ErrorParameters } from '../../errors/error-table';
import { type QueryError, queryError } from '../../errors/query-error';
import { afterLocalDateTime, isLocalDateTime, repairedLocalDateTime } from '../../time/local-time';
import { usableName } from '../names/usable-name';
import { isJsonList, isJsonObject, type JsonValue, valueAt } from '../types/json';
import { formatPath, type Path } from '../types/path';
import { certainly, probably, type Repair, rename, write } from '../types/repair';
import { calcExpressionFault, keepEntryFault } from './expression-faults';
import { filterValueFault } from './filter-faults';
import { listedConditions } from './filter-forms';
import {
  joinFault,
  joinFillFault,
  joinModeFault,
  joinOnFault,
  joinPairFault,
  joinSideFault,
  joinWithFault,
} from './join-faults';
import { looseSource, textIn } from './loose-source';
import { sortFault } from './sort-faults';

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

/** Absent: the error of a missing key; present: the error of its shape. */
const orMissing =
  (key: keyof typeof EXAMPLES, explain: Explain): Explain =>
  (fault) =>
    fault.received === undefined && fault.path.length === 1
      ? queryError('E_MISSING_FIELD', key, { key, example: EXAMPLES[key] })
      : explain(fault);

/** A list of names, or one name, in whatever form it was written. */
const materials: Explain = ({ at, received }) => {
  const entries = isJsonList(received) ? received : received === undefined ? [] : [received];
  const meant = entries.map((entry) => (typeof entry === 'string' ? { name: entry } : entry));
  const isWhole =
    meant.length > 0 && meant.every((entry) => isJsonObject(entry) && typeof entry.name === 'string');
  const repair = isWhole ? certainly(write(['materials'], meant)) : undefined;
  return queryError('E_UNKNOWN_MATERIAL', at, { problem: 'shape', received }, repair);
};

/** One entry: its neighbours are repaired with it. */
const material: Explain = (fault) => {
  const { at, received, query } = fault;
  const { repair } = materials({ ...fault, received: valueAt(query, ['materials']) });
  return queryError('E_UNKNOWN_MATERIAL', at, { problem: 'shape', received }, repair);
};

const timeKey: Explain = ({ at, path, received }) => {
  const key = String(path[1] ?? 'time');
  if (path.length === 1 || typeof received !== 'string')
    return queryError('E_TIME_REQUIRED', at, { key, received });
  return queryError('E_INVALID_TIME_RANGE', at, ...timeFault(key, path, received));
};

/** A start names its beginning. An end without a part may have been meant to count, but for the first of a month. */
function timeFault(
  key: string,
  path: Path,
  received: string,
): [parameters: ErrorParameters<'E_INVALID_TIME_RANGE'>, repair?: Repair] {
  const from = repairedLocalDateTime(received);
  if (from === undefined) return [{ problem: 'format', received, offset: offsetIn(key, received) }];
  const after = afterLocalDateTime(received);
  if (key === 'end' && after !== undefined && !from.endsWith('-01T00:00:00'))
    return [
      isLocalDateTime(after) ? { problem: 'end', received, from, after } : { problem: 'format', received },
    ];
  // A part of a second would be lost.
  const isSame = after === undefined || !received.includes('.');
  const edit = write(path, from);
  return [{ problem: 'format', received }, isSame ? certainly(edit) : probably(edit)];
}

/** A time with an offset is an instant: the same only in a zone of that offset. */
function offsetIn(key: string, received: string) {
  const [, written = '', offset = ''] = /^(.{19,24})(Z|[+-]\d\d:?\d\d)$/.exec(received.trim()) ?? [];
  const local = repairedLocalDateTime(written);
  return local === undefined ? undefined : { key, local, offset };
}

const view: Explain = ({ at, path, received, contract }) => {
  const name = String(path[1]);
  if (!new RegExp(contract.rules.request.view_name).test(name)) {
    const repair = probably(rename(path.slice(0, 2), usableName(name, 'view')));
    return queryError('E_INVALID_VIEW_NAME', at, { name, problem: 'pattern' }, repair);
  }
  return queryError('E_INVALID_VIEW', at, { problem: 'shape', received });
};

const from: Explain = ({ path, query }) => {
  const place = path.slice(0, 3);
  const received = valueAt(query, place);
  if (received === undefined) {
    return queryError('E_INVALID_VIEW', formatPath(path.slice(0, 2)), { problem: 'missing', key: 'from' });
  }
  const name = textIn(received);
  const repair = name === undefined ? undefined : certainly(write(place, [name]));
  return queryError('E_INVALID_FROM', formatPath(place), { received }, repair);
};

const keep: Explain = ({ at, path, received, query }) => {
  if (received === undefined) {
    return queryError('E_INVALID_VIEW', formatPath(path.slice(0, 2)), { problem: 'missing', key: 'keep' });
  }
  const repair = typeof received === 'string' ? certainly(write(path, [received])) : undefined;
  const material = looseSource(query, path).name;
  return queryError('E_UNKNOWN_COLUMN', at, { problem: 'not-list', material, received }, repair);
};

const filter: Explain = ({ at, path, received }) => {
  const meant = listedConditions(received);
  const repair = meant === undefined ? undefined : certainly(write(path, meant));
  return queryError('E_FILTER_INVALID', at, { problem: 'shape', received }, repair);
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

const limit: Explain = ({ at, path, received, contract }) => {
  const max = contract.rules.limits.max_rows;
  const text = typeof received === 'string' && /^\s*\d{1,9}\s*$/.test(received) ? received : '';
  const repair = text === '' ? undefined : certainly(write(path, Number(text)));
  const tooMany = Number(text) > max || Number(text) < 1;
  return queryError('E_INVALID_LIMIT', at, { received, max }, tooMany ? undefined : repair);
};

const use: Explain = ({ at, path, received }) => {
  const name = textIn(received);
  const repair = name === undefined ? undefined : certainly(write(path, name));
  return queryError('E_INVALID_RESULT', at, { problem: 'use', received }, repair);
};

/** The longest pattern that a path begins with explains its fault. */
const PLACES: readonly (readonly [pattern: string, explain: Explain])[] = [
  [
    'tracking_id',
    ({ at }) => queryError('E_MISSING_FIELD', at, { key: 'tracking_id', example: EXAMPLES.tracking_id }),
  ],
  ['materials', orMissing('materials', materials)],
  ['materials.*', material],
  ['time', timeKey],
  ['make', orMissing('make', ({ at, received }) => queryError('E_INVALID_MAKE', at, { received }))],
  ['make.*', view],
  ['make.*.from', from],
  ['make.*.keep', keep],
  ['make.*.keep.*', keepEntryFault],
  ['make.*.filter', filter],
  ['make.*.filter.*', filterValueFault],
  ['make.*.join', joinFault],
  ['make.*.join.with', joinWithFault],
  ['make.*.join.on', joinOnFault],
  ['make.*.join.on.*', joinPairFault],
  ['make.*.join.on.*.left', joinSideFault('left')],
  ['make.*.join.on.*.right', joinSideFault('right')],
  ['make.*.join.if not match', joinModeFault],
  ['make.*.join.fill', joinFillFault],
  ['make.*.calc', calc],
  ['make.*.calc.*', calcExpressionFault],
  ['make.*.add', add],
  ['make.*.sort', sortFault('shape')],
  ['make.*.sort.by', sortFault('by')],
  ['make.*.sort.order', sortFault('order')],
  ['make.*.sort.top', sortFault('top')],
  [
    'result',
    orMissing('result', ({ at, path, received }) => {
      const repair = typeof received === 'string' ? certainly(write(path, { use: received })) : undefined;
      return queryError('E_INVALID_RESULT', at, { problem: 'shape', received }, repair);
    }),
  ],
  ['result.use', use],
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
