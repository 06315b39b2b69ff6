// Owns the rules of shape that hold between several places of a query.
// Runs on queries that may be malformed elsewhere: each check looks only at what is well formed.
import { type Contract, isEnabled } from '../../contracts/contract';
import { type QueryError, queryError } from '../../errors/query-error';
import { instantOf, isLocalDateTime } from '../../time/local-time';
import { isOnlyZone, repairedZone } from '../../time/zones';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../types/json';
import type { Path } from '../types/path';
import { formatPath } from '../types/path';
import { certainly, probably, type Repair, rename, write } from '../types/repair';
import { textIn } from './loose-source';
import { OUTPUT_NAME, QUALIFIED_NAME } from './query-schema';

export interface PlacedFault {
  readonly path: Path;
  /** Built for the first fault alone: finding a near name costs time. */
  readonly explain: () => QueryError;
}

const placed = (path: Path, build: (at: string | undefined) => QueryError): PlacedFault => ({
  path,
  explain: () => build(formatPath(path)),
});

/** All faults between places, in no order. */
export function crossChecks(
  query: JsonObject,
  contract: Contract,
  zones: ReadonlySet<string>,
): readonly PlacedFault[] {
  const { make } = query;
  const views = isJsonObject(make) ? Object.entries(make) : [];
  const { max_views } = contract.rules.limits;
  const tooMany =
    views.length > max_views
      ? [
          placed(['make'], (at) =>
            queryError('E_QUERY_TOO_LARGE', at, { what: 'views', count: views.length, max: max_views }),
          ),
        ]
      : [];
  return [
    ...timeFaults(query.time, zones),
    ...tooMany,
    ...views.flatMap(([name, view]) =>
      isJsonObject(view) ? viewFaults(['make', name], view, contract) : [],
    ),
  ];
}

function timeFaults(time: JsonValue | undefined, zones: ReadonlySet<string>): readonly PlacedFault[] {
  if (!isJsonObject(time)) return [];
  const { start, end, tz } = time;
  if (typeof tz !== 'string') return [];
  if (!zones.has(tz)) {
    return [
      placed(['time', 'tz'], (at) => queryError('E_INVALID_TZ', at, { received: tz }, zoneRepair(tz, zones))),
    ];
  }
  if (
    typeof start !== 'string' ||
    typeof end !== 'string' ||
    !isLocalDateTime(start) ||
    !isLocalDateTime(end)
  )
    return [];
  if (instantOf(end, tz) > instantOf(start, tz)) return [];
  return [
    placed(['time', 'end'], (at) => queryError('E_INVALID_TIME_RANGE', at, { problem: 'order', start, end })),
  ];
}

function zoneRepair(tz: string, zones: ReadonlySet<string>): Repair | undefined {
  const zone = repairedZone(tz, zones);
  if (zone === undefined) return undefined;
  const edit = write(['time', 'tz'], zone);
  return isOnlyZone(tz, zone, zones) ? certainly(edit) : probably(edit);
}

function viewFaults(path: Path, view: JsonObject, contract: Contract): readonly PlacedFault[] {
  return [
    ...columnFaults(path, view, contract),
    ...listFaults(path, view, contract),
    ...calcNameFaults(path, view),
    ...addFaults(path, view),
  ];
}

function columnFaults(
  path: Path,
  { from, keep, calc }: JsonObject,
  contract: Contract,
): readonly PlacedFault[] {
  if (!isJsonList(keep)) return [];
  if (keep.length === 0 && calc === undefined) {
    return [
      placed([...path, 'keep'], (at) =>
        queryError('E_UNKNOWN_COLUMN', at, {
          problem: 'empty',
          material: textIn(from) ?? 'allpv',
          calc: isEnabled(contract, 'calc'),
        }),
      ),
    ];
  }
  const count = keep.length + (isJsonObject(calc) ? Object.keys(calc).length : 0);
  const max = contract.rules.limits.max_columns;
  if (count <= max) return [];
  return [
    placed([...path, 'keep'], (at) => queryError('E_QUERY_TOO_LARGE', at, { what: 'columns', count, max })),
  ];
}

function listFaults(path: Path, { filter }: JsonObject, contract: Contract): readonly PlacedFault[] {
  if (!isJsonObject(filter)) return [];
  const max = contract.rules.limits.max_list_values;
  return Object.entries(filter).flatMap(([column, test]) => {
    const values = isJsonObject(test) ? test.in : test;
    if (!isJsonList(values) || values.length <= max) return [];
    const place = [...path, 'filter', column, ...(isJsonObject(test) ? ['in'] : [])];
    return [
      placed(place, (at) =>
        queryError('E_QUERY_TOO_LARGE', at, { what: 'values', count: values.length, max }),
      ),
    ];
  });
}

/** A calc may not take the name of a kept column: the output would have it twice. */
function calcNameFaults(path: Path, { keep, calc }: JsonObject): readonly PlacedFault[] {
  if (!isJsonList(keep) || !isJsonObject(calc)) return [];
  const kept = new Set(
    keep.map((entry) => (typeof entry === 'string' ? QUALIFIED_NAME.exec(entry)?.[2] : undefined)),
  );
  const taken = new Set([...kept, ...Object.keys(calc)]);
  return Object.keys(calc)
    .filter((name) => OUTPUT_NAME.test(name) && kept.has(name))
    .map((name) => {
      const free = ['count', 'value', '2', '3', '4']
        .map((suffix) => `${name}_${suffix}`)
        .find((other) => !taken.has(other));
      const place = [...path, 'calc', name];
      const repair = probably(rename(place, free ?? `${name}_5`));
      return placed(place, (at) =>
        queryError('E_CALC_INVALID_EXPRESSION', at, { problem: 'name', name, reason: 'kept' }, repair),
      );
    });
}

function addFaults(path: Path, { add, calc }: JsonObject): readonly PlacedFault[] {
  if (!isJsonList(add) || !add.every((name): name is string => typeof name === 'string')) return [];
  if (calc !== undefined && !isJsonObject(calc)) return [];
  const names = Object.keys(calc ?? {});
  const unknown = add.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    return [
      placed([...path, 'add'], (at) =>
        queryError('E_ADD_NOT_SUBSET_OF_CALC', at, { received: add, missing: unknown, calc: names }),
      ),
    ];
  }
  const unnamed = names.filter((name) => !add.includes(name));
  if (unnamed.length === 0) return [];
  return [
    placed([...path, 'add'], (at) =>
      queryError('E_CALC_NOT_SUBSET_OF_ADD', at, { missing: unnamed, calc: names }),
    ),
  ];
}
