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
  /** What was meant, if that is known already. */
  readonly meant?: Meant;
  readonly isUnknownKey?: boolean;
}

/** Checks that involve several parts of a query, in no particular order. Each one ignores malformed parts. */
export function crossChecks(
  { time, make }: JsonObject,
  contract: Contract,
  zones: ReadonlySet<string>,
): readonly PlacedFault[] {
  const views = isJsonObject(make) ? Object.entries(make) : [];
  const zone = isJsonObject(time) && typeof time.tz === 'string' && zones.has(time.tz) ? time.tz : undefined;
  return [
    ...emptyRange(['time'], time, zone),
    ...views.flatMap(([name, view]) =>
      isJsonObject(view) ? viewFaults(['make', name], view, zone, contract) : [],
    ),
  ];
}

function emptyRange(
  path: Path,
  time: JsonValue | undefined,
  zone: string | undefined,
): readonly PlacedFault[] {
  if (!isJsonObject(time) || zone === undefined) return [];
  const { start = null, end = null } = time;
  if (!isDateTime(start) || !isDateTime(end) || instantOf(end, zone) > instantOf(start, zone)) return [];
  return [{ path: [...path, 'end'], fault: 'E_INVALID_TIME_RANGE order', meant: { given: { start, end } } }];
}

const isDateTime = (value: JsonValue): value is string => typeof value === 'string' && isLocalDateTime(value);

const viewFaults = (
  path: Path,
  view: JsonObject,
  zone: string | undefined,
  contract: Contract,
): readonly PlacedFault[] => [
  ...(isEnabled(contract, 'view_time') ? emptyRange([...path, 'time'], view.time, zone) : []),
  ...columnFaults(path, view, contract),
  ...nameFaults(path, view),
  ...addFaults(path, view),
  ...sortFaults(path, view, contract),
];

function columnFaults(
  path: Path,
  { from, keep, calc }: JsonObject,
  contract: Contract,
): readonly PlacedFault[] {
  if (!isJsonList(keep) || keep.length > 0 || calc !== undefined) return [];
  const hint = isEnabled(contract, 'calc') ? 'calc' : undefined;
  const given = { material: textIn(from) ?? 'allpv', hint };
  return [{ path: [...path, 'keep'], fault: 'E_UNKNOWN_COLUMN empty', meant: { given } }];
}

function nameFaults(path: Path, { keep, calc }: JsonObject): readonly PlacedFault[] {
  if (!isJsonList(keep) || !isJsonObject(calc)) return [];
  const kept = new Set(keep.map((entry) => QUALIFIED_NAME.exec(typeof entry === 'string' ? entry : '')?.[2]));
  return Object.keys(calc)
    .filter((name) => OUTPUT_NAME.test(name) && kept.has(name))
    .map((name) => {
      const free = ['count', 'value', '2', '3', '4']
        .map((suffix) => `${name}_${suffix}`)
        .find((other) => !kept.has(other) && !(other in calc));
      const place = [...path, 'calc', name];
      const repair = probably(rename(place, free ?? `${name}_5`));
      return { path: place, fault: 'E_CALC_INVALID_EXPRESSION name-kept', meant: { repair } };
    });
}

function sortFaults(path: Path, { sort }: JsonObject, contract: Contract): readonly PlacedFault[] {
  const isAlone = isJsonObject(sort) && isJsonList(sort.per) && sort.top === undefined;
  if (!isAlone || !isEnabled(contract, 'sort_then')) return [];
  return [{ path: [...path, 'sort', 'per'], fault: 'E_INVALID_SORT per-alone' }];
}

function addFaults(path: Path, { add, calc }: JsonObject): readonly PlacedFault[] {
  if (!isJsonList(add) || !add.every((name): name is string => typeof name === 'string')) return [];
  if (calc !== undefined && !isJsonObject(calc)) return [];
  const names = Object.keys(calc ?? {});
  const [added, calculated] = [new Set(add), new Set(names)];
  const unknown = add.filter((name) => !calculated.has(name));
  const missing = unknown.length > 0 ? unknown : names.filter((name) => !added.has(name));
  if (missing.length === 0) return [];
  const fault = unknown.length > 0 ? 'E_ADD_NOT_SUBSET_OF_CALC unknown' : 'E_CALC_NOT_SUBSET_OF_ADD';
  return [{ path: [...path, 'add'], fault, meant: { given: { missing, calc: names } } }];
}
