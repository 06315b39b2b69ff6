// Guesses what a view in a malformed query reads from. A wrong guess does no harm, since repaired queries are checked before they
// are shown.
import { isJsonList, isJsonObject, type JsonObject, type JsonValue, valueAt } from '../types/json';
import type { Path } from '../types/path';
import { QUALIFIED_NAME } from './query-schema';

export interface LooseSource {
  /** The name in `from`. */
  readonly name: string;
  /** The material at the end of the chain of views. */
  readonly material: string;
  /** The output columns of a view; undefined for a material. */
  readonly outputs: readonly string[] | undefined;
  /** Whether the source is a view with a calc. */
  readonly calculates: boolean;
  /** The calcs of the source that are never null. */
  readonly counts: readonly string[];
  /** Whether a view in the chain has a join, so that any column may be null. */
  readonly hasJoins: boolean;
  /** The source that the view joins; empty if the join is not an object. */
  readonly joined: string | undefined;
}

/** The source of the view that contains `path`. */
export function looseSource(query: JsonValue, path: Path): LooseSource {
  const view = path.slice(0, 2);
  const name = textIn(valueAt(query, [...view, 'from'])) ?? 'allpv';
  const { make } = isJsonObject(query) ? query : {};
  const views = isJsonObject(make) ? make : {};
  const join = valueAt(query, [...view, 'join']);
  const source = views[name];
  const calc = isJsonObject(source) ? source.calc : undefined;
  return {
    name,
    ...endOfChain(name, views),
    outputs: isJsonObject(source) ? outputsOf(source) : undefined,
    calculates: isJsonObject(calc),
    counts: isJsonObject(calc) ? countsIn(calc) : [],
    joined: isJsonObject(join) ? textIn(join.with) : join === undefined ? undefined : '',
  };
}

const countsIn = (calc: JsonObject): readonly string[] =>
  Object.entries(calc).flatMap(([name, text]) =>
    typeof text === 'string' && /^\s*count/i.test(text) ? [name] : [],
  );

/** A string, the only string in a list, or the `name` in an object that has no other keys. */
export function textIn(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (isJsonList(value)) return value.length === 1 ? textIn(value[0]) : undefined;
  if (!isJsonObject(value) || Object.keys(value).length !== 1) return undefined;
  return typeof value.name === 'string' ? value.name : undefined;
}

function endOfChain(
  name: string,
  views: JsonObject,
): { readonly material: string; readonly hasJoins: boolean } {
  const seen = new Set<string>();
  let material = name;
  let hasJoins = false;
  while (!seen.has(material)) {
    seen.add(material);
    const view = views[material];
    if (!isJsonObject(view)) break;
    hasJoins ||= view.join !== undefined;
    material = textIn(view.from) ?? material;
  }
  return { material, hasJoins };
}

function outputsOf({ keep, calc }: JsonObject): readonly string[] {
  const kept = isJsonList(keep) ? keep : [];
  const names = kept.flatMap((entry) =>
    typeof entry === 'string' ? (QUALIFIED_NAME.exec(entry)?.[2] ?? []) : [],
  );
  return [...names, ...(isJsonObject(calc) ? Object.keys(calc) : [])];
}
