// Checks of a query's shape that involve more than one of its parts.
// The query may be malformed elsewhere: each check ignores what is not well formed.
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
  /** The meaning, if it is already known. */
  readonly meant?: Meant;
  /** Whether the place is an unknown key. */
  readonly isUnknownKey?: boolean;
}

/** All such faults, in no particular order. */
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
  const { start, end } = time;
  if (typeof start !== 'string' || typeof end !== 'string') return [];
  if (!isLocalDateTime(start) || !isLocalDateTime(end) || instantOf(end, zone) > instantOf(start, zone))
    return [];
  return [{ path: [...path, 'end'], fault: 'E_INVALID_TIME_RANGE order', meant: { given: { start, end } } }];
}

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
  if (!isJsonList(keep)) return [];
  const place = [...path, 'keep'];
  if (keep.length === 0 && calc === undefined) {
    const hint = isEnabled(contract, 'calc') ? 'calc' : undefined;
    return [
      {
        path: place,
        fault: 'E_UNKNOWN_COLUMN empty',
        meant: { given: { material: textIn(from) ?? 'allpv', hint } },
      },
    ];
  }
  return [];
}

/** A calc with the name of a kept column would make the output column ambiguous. */
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

/** `per` needs a `top` to apply to each value. */
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
  const unnamed = names.filter((name) => !added.has(name));
  const place = { path: [...path, 'add'] };
  if (unknown.length > 0)
    return [
      {
        ...place,
        fault: 'E_ADD_NOT_SUBSET_OF_CALC unknown',
        meant: { given: { missing: unknown, calc: names } },
      },
    ];
  if (unnamed.length === 0) return [];
  return [
    { ...place, fault: 'E_CALC_NOT_SUBSET_OF_ADD', meant: { given: { missing: unnamed, calc: names } } },
  ];
}
