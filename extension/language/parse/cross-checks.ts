import type { Fault } from '../errors/fault';
import { instantOf, isLocalDateTime } from '../time/local-time';
import { type Contract, isEnabled } from '../types/contract';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../types/json';
import type { Path } from '../types/path';
import { probably, rename } from '../types/repair';
import { OUTPUT_NAME } from './calc-schema';
import type { Meant } from './foreign-form';
import { textIn } from './loose-source';
import { QUALIFIED_NAME } from './query-schema';

export interface PlacedFault {
  readonly path: Path;
  readonly fault: Fault;
  /** The caller's probable intention, if already known. */
  readonly meant?: Meant;
  readonly isUnknownKey?: boolean;
}

/** Checks that involve several parts of a query, in no particular order. Each one ignores malformed parts. */
export function* crossChecks(
  { time, make }: JsonObject,
  contract: Contract,
  zones: ReadonlySet<string>,
): Generator<PlacedFault> {
  const zone = isJsonObject(time) && typeof time.tz === 'string' && zones.has(time.tz) ? time.tz : undefined;
  yield* rangeFault(['time'], time, zone);
  for (const [name, view] of Object.entries(isJsonObject(make) ? make : {})) {
    if (!isJsonObject(view)) continue;
    const path = ['make', name];
    if (isEnabled(contract, 'view_time')) yield* rangeFault([...path, 'time'], view.time, zone);
    yield* keepFault(path, view, contract);
    yield* nameFaults(path, view);
    yield* addFault(path, view);
    yield* sortFault(path, view, contract);
  }
}

function* rangeFault(
  path: Path,
  time: JsonValue | undefined,
  zone: string | undefined,
): Generator<PlacedFault> {
  if (!isJsonObject(time) || zone === undefined) return;
  const { start, end } = time;
  if (!isDateTime(start) || !isDateTime(end) || instantOf(end, zone) > instantOf(start, zone)) return;
  const given = { start, end, hint: end > start ? 'skipped' : undefined };
  yield { path: [...path, 'end'], fault: 'E_INVALID_TIME_RANGE order', meant: { given } };
}

const isDateTime = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && isLocalDateTime(value);

function* keepFault(
  path: Path,
  { from, keep, calc }: JsonObject,
  contract: Contract,
): Generator<PlacedFault> {
  if (!isJsonList(keep) || keep.length > 0 || calc !== undefined) return;
  const hint = isEnabled(contract, 'calc') ? 'calc' : undefined;
  const given = { material: textIn(from) ?? 'allpv', hint };
  yield { path: [...path, 'keep'], fault: 'E_UNKNOWN_COLUMN empty', meant: { given } };
}

function* nameFaults(path: Path, { keep, calc }: JsonObject): Generator<PlacedFault> {
  if (!isJsonList(keep) || !isJsonObject(calc)) return;
  const kept = new Set(keep.map((entry) => QUALIFIED_NAME.exec(typeof entry === 'string' ? entry : '')?.[2]));
  for (const name of Object.keys(calc)) {
    if (!OUTPUT_NAME.test(name) || !kept.has(name)) continue;
    const free = ['count', 'value', '2', '3', '4']
      .map((suffix) => `${name}_${suffix}`)
      .find((other) => !kept.has(other) && !(other in calc));
    const place = [...path, 'calc', name];
    const repair = probably(rename(place, free ?? `${name}_5`));
    yield { path: place, fault: 'E_CALC_INVALID_EXPRESSION name-kept', meant: { repair } };
  }
}

function* sortFault(path: Path, { sort }: JsonObject, contract: Contract): Generator<PlacedFault> {
  const isAlone = isJsonObject(sort) && isJsonList(sort.per) && sort.top === undefined;
  if (isAlone && isEnabled(contract, 'sort_then'))
    yield { path: [...path, 'sort', 'per'], fault: 'E_INVALID_SORT per-alone' };
}

function* addFault(path: Path, { add, calc = {} }: JsonObject): Generator<PlacedFault> {
  if (!isJsonList(add) || !add.every((name) => typeof name === 'string') || !isJsonObject(calc)) return;
  const [added, names] = [new Set(add), Object.keys(calc)];
  const unknown = add.filter((name) => !Object.hasOwn(calc, name));
  const missing = unknown.length > 0 ? unknown : names.filter((name) => !added.has(name));
  if (missing.length === 0) return;
  const fault = unknown.length > 0 ? 'E_ADD_NOT_SUBSET_OF_CALC unknown' : 'E_CALC_NOT_SUBSET_OF_ADD';
  yield { path: [...path, 'add'], fault, meant: { given: { missing, calc: names } } };
}
