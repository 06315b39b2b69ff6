// What is left of a query without the parts whose shape is wrong, so that the names in the rest can be judged.
import { isJsonObject, type JsonObject, type JsonValue } from '../types/json';
import type { PlacedFault } from './cross-checks';

/** They stand for a part that is wrong, and have nothing that could be wrong with names. */
const ANY_TIME = { start: '2000-01-01T00:00:00', end: '2000-01-02T00:00:00', tz: 'UTC' };

/** Takes out faulty views and unknown keys, and puts right ones for a faulty `time` and `result`. */
export function withoutFaulty(
  query: JsonObject,
  faults: readonly PlacedFault[],
): { readonly rest: JsonObject; readonly leftOut: ReadonlySet<string> } {
  const faulty = new Set(faults.map(({ path }) => String(path[0])));
  const leftOut = new Set(faults.flatMap(({ path: [key, view] }) => (key === 'make' ? [String(view)] : [])));
  const unknown = new Set(
    faults.flatMap(({ path, isUnknownKey }) => (isUnknownKey === true && path.length === 1 ? [path[0]] : [])),
  );
  const views = isJsonObject(query.make)
    ? Object.entries(query.make).filter(([name]) => !leftOut.has(name))
    : [];
  const standIns: Readonly<Record<string, JsonValue>> = {
    time: ANY_TIME,
    result: { use: views.at(-1)?.[0] ?? '' },
  };
  const rest = Object.entries(query).filter(([key]) => !unknown.has(key));
  const right = [...faulty].flatMap((key) => (key in standIns ? [[key, standIns[key]] as const] : []));
  return {
    rest: { ...Object.fromEntries(rest), make: Object.fromEntries(views), ...Object.fromEntries(right) },
    leftOut,
  };
}
