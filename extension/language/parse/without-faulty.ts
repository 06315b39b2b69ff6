import { isJsonObject, type JsonObject, type JsonValue, scalarText } from '../types/json';
import type { Path } from '../types/path';
import { remove, withEdits, write } from '../types/repair';
import type { PlacedFault } from './cross-checks';

const ANY_TIME: JsonValue = { start: '2000-01-01T00:00:00', end: '2000-01-02T00:00:00', tz: 'UTC' };

/** The paths to remove for an error in a view, and whether their removal changes the output columns. */
interface Cut {
  readonly paths: readonly Path[];
  readonly changesOutput: boolean;
}

function cutFor([, view = '', clause, key]: Path): Cut {
  const whole = ['make', view];
  if (clause === 'sort' || clause === 'fill_periods')
    return { paths: [[...whole, clause]], changesOutput: false };
  if (clause === 'filter' && key !== undefined)
    return { paths: [[...whole, clause, key]], changesOutput: false };
  if (clause !== 'calc' || key === undefined) return { paths: [whole], changesOutput: true };
  // The sort may use the calc.
  const paths = [
    [...whole, clause, key],
    [...whole, 'sort'],
  ];
  return { paths, changesOutput: true };
}

/**
 * Removes the malformed parts of a query, and replaces a malformed `time` or `result`, so that the names in the rest can be
 * checked. `leftOut` lists the views whose output is unknown.
 */
export function withoutFaultyParts(
  query: JsonObject,
  faults: readonly PlacedFault[],
): { readonly rest: JsonObject; readonly leftOut: ReadonlySet<string> } {
  const inMake = faults.filter(({ path }) => path[0] === 'make' && path.length > 1);
  const cuts = inMake.map(({ path }) => cutFor(path));
  const leftOut = new Set(
    inMake.flatMap(({ path }, i) => (cuts[i]?.changesOutput ? [scalarText(path[1])] : [])),
  );
  const unknown = faults.flatMap(({ path, isUnknownKey }) =>
    isUnknownKey === true && path.length === 1 ? [path] : [],
  );
  const removals = new Map(
    [...cuts.flatMap(({ paths }) => paths), ...unknown].map((path) => [path.join('\n'), path]),
  );
  const rest = withEdits(query, [...removals.values()].map(remove));
  if (!isJsonObject(rest)) return { rest: query, leftOut };
  const has = (key: string) => faults.some(({ path }) => path[0] === key);
  const views = Object.keys(isJsonObject(rest.make) ? rest.make : {});
  const replacements = [
    ...(has('time') ? [write(['time'], ANY_TIME)] : []),
    ...(has('result') ? [write(['result'], { use: views.at(-1) ?? '' })] : []),
  ];
  const replaced = withEdits(rest, replacements);
  return { rest: isJsonObject(replaced) ? replaced : rest, leftOut };
}
