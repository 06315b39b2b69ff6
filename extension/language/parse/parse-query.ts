// The first phase: what was asked, checked for shape alone.
// document -> ParsedQuery, or the first fault in document order (tracking_id, materials, time, make, result).
import type { z } from 'zod';
import type { Fault } from '../errors/fault';
import { featureError } from '../errors/feature-error';
import { hintOf } from '../errors/hint-failure';
import { faultError, MOST_FAULTS, moreFaults, type QueryError } from '../errors/query-error';
import { nearest } from '../names/nearest';
import { type Contract, wordsOf } from '../types/contract';
import {
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  scalarText,
  valueAt,
} from '../types/json';
import type { ParsedQuery } from '../types/parsed-query';
import { formatPath, type Path } from '../types/path';
import type { HintFailures } from '../types/repair';
import { crossChecks, type PlacedFault } from './cross-checks';
import { columnPlace } from './foreign-condition';
import { meantAt } from './foreign-forms';
import { looseSource } from './loose-source';
import { keysAround, normaliseQuery } from './normalise-query';
import { querySchema } from './query-schema';
import { documentOf, type QueryDocument } from './read-document';
import { readQuery } from './read-query';
import { sizeFault } from './size-fault';
import { withoutFaulty } from './without-faulty';
import { notAnObject, wrapperFault } from './wrapper-fault';

/** A query as it is asked, or was certainly meant: then with the fault of what was sent. */
export interface Parsed {
  readonly asked: ParsedQuery;
  /** What `asked` was read from. */
  readonly query: JsonObject;
  readonly fault: QueryError | null;
}

interface Context extends HintFailures {
  readonly contract: Contract;
  /** The time zones that a query may name. */
  readonly zones: ReadonlySet<string>;
}

/** Parses a body under a contract; throws the first fault unless everything wrong with the shape is certainly mended. */
export function parseQuery(document: QueryDocument, context: Context): Parsed {
  const checked = check(document, context);
  if (!('fault' in checked)) return { ...checked, fault: null };
  const { fault } = checked;
  const mended = fault.repair?.certain === true ? mend(document, context) : undefined;
  if (mended === undefined) throw fault;
  return { ...mended, fault };
}

/** `placed` are the faults of shape, in document order, up to a bound; none where it is no query or too large. */
type Checked =
  | Omit<Parsed, 'fault'>
  | { readonly fault: QueryError; readonly placed: readonly PlacedFault[] };

function check(document: QueryDocument, context: Context): Checked {
  const { query, fault } = document;
  const outside = fault ?? wrapperFault(document, context);
  if (outside !== null || query === null)
    return { fault: outside ?? notAnObject(document, undefined), placed: [] };
  const read = withoutIgnored(query);
  const tooLarge = sizeFault(query, document, context.contract);
  if (tooLarge !== undefined) return { fault: explain(tooLarge, read, context), placed: [] };
  const placed = inDocumentOrder(faultsOf(read, context), document);
  const [first] = placed;
  if (first !== undefined) return { fault: explain(first, read, context), placed };
  return { asked: readQuery(read, document, context.contract), query };
}

/** The query that was meant; undefined where something of it is uncertain. */
function mend(document: QueryDocument, context: Context): Omit<Parsed, 'fault'> | undefined {
  if (document.query === null || !isRepairable(document)) return undefined;
  const { query } = document;
  const meant = hintOf(() => normaliseQuery(query, schemaOf(context), context), context);
  const checked = meant && check(documentOf(meant), context);
  return checked === undefined || 'fault' in checked ? undefined : checked;
}

/** Longer bodies are not written by hand, and nobody wants them back. */
const LONGEST_BODY = 16_384;

/** Whether a corrected query would be of use: JavaScript would send "2026" before "a", in whatever order they came in. */
export const isRepairable = (document: QueryDocument): boolean =>
  document.text.length <= LONGEST_BODY && keepsOrder(document.query, document);

function keepsOrder(value: JsonValue, document: QueryDocument): boolean {
  if (value === null || typeof value !== 'object') return true;
  const written = document.keysOf(value);
  return (
    (!isJsonObject(value) || Object.keys(value).every((key, index) => key === written[index])) &&
    Object.values(value).every((item) => keepsOrder(item, document))
  );
}

/** count_only: true makes `limit` and `offset` meaningless, so they cannot be wrong either. */
function withoutIgnored(query: JsonObject): JsonObject {
  const { result } = query;
  if (!isJsonObject(result) || result.count_only !== true) return query;
  const rest = Object.fromEntries(
    Object.entries(result).filter(([key]) => key !== 'limit' && key !== 'offset'),
  );
  return { ...query, result: rest };
}

/** What is wrong with the shape of a query, and as much of it as can be bound in spite of that. */
interface ShapeFaults {
  /** In document order. */
  readonly faults: readonly QueryError[];
  /** With certain repairs done and all else that is wrong left out; undefined where too little is left. */
  readonly asked: ParsedQuery | undefined;
  /** The views that are left out. */
  readonly leftOut: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** Finds everything wrong with the shape, up to a bound. */
export function findShapeFaults(document: QueryDocument, context: Context): ShapeFaults {
  const checked = check(document, context);
  if (!('fault' in checked)) return { faults: [], asked: checked.asked, leftOut: NONE };
  const [{ query }, { placed }] = [document, checked];
  // Of a body that is no query, or too large, nothing else can be said.
  if (query === null || placed.length === 0)
    return { faults: [checked.fault], asked: undefined, leftOut: NONE };
  const read = withoutIgnored(query);
  const isRead = document.text.length <= LONGEST_BODY;
  const explained = placed
    .slice(0, MOST_FAULTS)
    .map((it, place) => explain(it, read, context, isRead || place === 0));
  const faults = [...new Map(explained.map((fault) => [`${fault.code} ${fault.at}`, fault])).values()];
  if (placed.length > MOST_FAULTS)
    return { faults: [...faults, moreFaults()], asked: undefined, leftOut: NONE };
  if (!isRepairable(document)) return { faults, asked: undefined, leftOut: NONE };
  const mended = hintOf(() => normaliseQuery(query, schemaOf(context), context), context) ?? query;
  const { rest, leftOut } = withoutFaulty(mended, faultsOf(withoutIgnored(mended), context));
  const left = check(documentOf(rest), context);
  return { faults, asked: 'fault' in left ? undefined : left.asked, leftOut };
}

type Schema = ReturnType<typeof querySchema>;
const schemas = new WeakMap<Contract, { readonly zones: ReadonlySet<string>; readonly schema: Schema }>();

function schemaOf({ contract, zones }: Context): Schema {
  const known = schemas.get(contract);
  if (known?.zones === zones) return known.schema;
  const schema = querySchema(contract, zones);
  schemas.set(contract, { zones, schema });
  return schema;
}

function faultsOf(query: JsonObject, context: Context): readonly PlacedFault[] {
  const { error } = schemaOf(context).safeParse(query);
  return [...faultsIn(error?.issues ?? [], []), ...crossChecks(query, context.contract, context.zones)];
}

function faultsIn(issues: readonly z.core.$ZodIssue[], around: Path): readonly PlacedFault[] {
  return issues.flatMap((issue): readonly PlacedFault[] => {
    const path = [...around, ...issue.path.filter((step) => typeof step !== 'symbol')];
    const fault = issue.message as Fault;
    if (issue.code === 'unrecognized_keys')
      return issue.keys
        .slice(0, MOST_FAULTS + 1)
        .map((key) => ({ path: [...path, key], fault, isUnknownKey: true }));
    const form = issue.code === 'invalid_union' ? issue.errors.find(isOfItsForm) : undefined;
    return form === undefined ? [{ path, fault }] : faultsIn(form, path);
  });
}

/** Whether the value has the form of this branch of a union, and only something in it is wrong. */
const isOfItsForm = (branch: readonly z.core.$ZodIssue[]): boolean =>
  !branch.some(
    ({ path, code }) => path.length === 0 && (code === 'invalid_type' || code === 'invalid_union'),
  );

const SECTIONS = ['tracking_id', 'materials', 'time', 'make', 'result'];

/** Keys that no query has come before all sections. */
const inDocumentOrder = (faults: readonly PlacedFault[], document: QueryDocument): readonly PlacedFault[] =>
  faults
    .map((fault) => ({
      fault,
      section: SECTIONS.indexOf(scalarText(fault.path[0])),
      offset: document.offsetOf(fault.path),
    }))
    .sort((left, right) => left.section - right.section || left.offset - right.offset)
    .map(({ fault }) => fault);

/** Faults that belong to the object or list around the place: the number of steps to it. */
const STEPS: Partial<Readonly<Record<Fault, number>>> = {
  'E_INVALID_VIEW from': 2,
  'E_INVALID_VIEW keep': 2,
  E_INVALID_FROM: 3,
  'E_ADD_NOT_SUBSET_OF_CALC shape': 3,
};

/** Faults that belong to the operator of a filter. */
const OF_OPERATOR: ReadonlySet<Fault> = new Set<Fault>([
  'E_FILTER_INVALID value',
  'E_FILTER_INVALID list',
  'E_FILTER_INVALID range',
]);

/** Faults whose hint depends on the key alone. */
const HINTED_BY_KEY: ReadonlySet<Fault> = new Set<Fault>(['E_MISSING_FIELD', 'E_TIME_REQUIRED text']);

/** The error of a fault, with what was meant: of the others in a long body that is not looked for, since each looks around. */
function explain(
  placed: PlacedFault,
  query: JsonObject,
  context: Context,
  looksForMeaning = true,
): QueryError {
  const { fault } = placed;
  const { contract } = context;
  const { limits } = contract.rules;
  const steps = OF_OPERATOR.has(fault) ? columnPlace(placed.path).length + 1 : STEPS[fault];
  const path = placed.path.slice(0, steps);
  const isUnknownKey = placed.isUnknownKey === true && path.length === placed.path.length;
  const keys = keysAround(schemaOf(context), query, isUnknownKey ? path.slice(0, -1) : path);
  const wrong = { query, path, value: valueAt(query, path), keys, ...context };
  const meant = placed.meant ?? (looksForMeaning ? meantAt(wrong, isUnknownKey) : undefined);
  if (meant?.feature !== undefined)
    return featureError(contract, meant.feature, formatPath(meant.path ?? path));
  const place = meant?.path ?? path;
  const key = place.at(-1);
  const received = valueAt(query, place);
  const calc = valueAt(query, [...place.slice(0, 2), 'calc']);
  const reported = meant?.fault ?? fault;
  const known = {
    received,
    key,
    hint: HINTED_BY_KEY.has(fault) ? scalarText(key) : undefined,
    keys,
    nearest: isUnknownKey ? hintOf(() => nearest(scalarText(key), keys), context) : undefined,
    material: looseSource(query, place).name,
    calc: reported.startsWith('E_ADD') && isJsonObject(calc) ? Object.keys(calc) : [],
    functions: Object.keys(wordsOf(contract, 'calc_functions')),
    operators: Object.keys(wordsOf(contract, 'filter_operators')),
    count: isJsonList(received) ? received.length : undefined,
    max: place[0] === 'result' ? limits.max_rows : limits.max_list_values,
  };
  return faultError(reported, formatPath(place), { ...known, ...meant?.given }, meant?.repair);
}
