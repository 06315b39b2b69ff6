import { z } from 'zod';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue, valueAt } from '../types/json';
import type { Path } from '../types/path';
import { withEdit } from '../types/repair';
import type { ParseContext } from './foreign-form';
import { intendedMeaning } from './foreign-forms';
import { schemaOf } from './query-schema';

/** Applies all unambiguous repairs to the shape of a query, wherever a value does not match the schema. */
export function normalizeQuery(sent: JsonObject, context: ParseContext): JsonObject {
  let query = sent;
  const repair = (path: Path, keys: readonly string[], isUnknownKey: boolean): void => {
    const place = { query, path, value: valueAt(query, path), keys, ...context };
    const { certain, edits } = intendedMeaning(place, isUnknownKey)?.repair ?? { certain: false, edits: [] };
    const repaired: JsonValue = certain ? edits.reduce(withEdit, query) : query;
    if (isJsonObject(repaired)) query = repaired;
  };
  const visit = (node: z.ZodType, path: Path, keys: readonly string[]): void => {
    if (node.safeParse(valueAt(query, path)).success) return;
    if (path.length > 0) repair(path, keys, false);
    const value = valueAt(query, path);
    const memberOf = membersOf(node, value);
    if (isJsonList(value)) visitList(memberOf, path, keys);
    if (isJsonObject(value)) visitObject(memberOf, path, keysFor(node, value) ?? []);
  };
  const visitList = (memberOf: MemberOf, path: Path, keys: readonly string[]): void => {
    const length = (): number => {
      const list = valueAt(query, path);
      return isJsonList(list) ? list.length : 0;
    };
    for (let index = 0; index < length(); ) {
      const before = length();
      const member = memberOf(index);
      if (member !== undefined) visit(member, [...path, index], keys);
      // If the repair removed this entry, the next one now has its index.
      if (length() === before) index += 1;
    }
  };
  const visitObject = (memberOf: MemberOf, path: Path, keys: readonly string[]): void => {
    const written = (): readonly string[] => Object.keys(valueAt(query, path) ?? {});
    for (const key of written()) if (memberOf(key) === undefined) repair([...path, key], keys, true);
    const visited = new Set<string>();
    const next = (): string | undefined => [...written(), ...keys].find((key) => !visited.has(key));
    // A repair may have renamed the key.
    for (let key = next(); key !== undefined; key = next()) {
      visited.add(key);
      const member = memberOf(key);
      if (member !== undefined) visit(member, [...path, key], keys);
    }
  };
  visit(schemaOf(context), [], []);
  return query;
}

type MemberOf = (step: string | number) => z.ZodType | undefined;

/** The keys that an object schema allows. Undefined for other schemas, and for those that allow any key. */
function keysOf(node: z.ZodType): readonly string[] | undefined {
  const inner = node instanceof z.ZodOptional ? (node.unwrap() as z.ZodType) : node;
  return inner instanceof z.ZodObject && !isOpen(inner) ? Object.keys(inner.shape) : undefined;
}

const isOpen = ({ def: { catchall } }: z.ZodObject): boolean =>
  catchall !== undefined && !(catchall instanceof z.ZodNever);

/** Returns a function that looks up the schema of an object's or list's members. */
function membersOf(node: z.ZodType, value: JsonValue | undefined): MemberOf {
  if (node instanceof z.ZodOptional) return membersOf(node.unwrap() as z.ZodType, value);
  if (node instanceof z.ZodObject)
    return (step) =>
      Object.hasOwn(node.shape, step)
        ? node.shape[step]
        : isOpen(node)
          ? (node.def.catchall as z.ZodType)
          : undefined;
  if (node instanceof z.ZodRecord) return () => node.valueType as z.ZodType;
  if (node instanceof z.ZodArray) return () => node.element as z.ZodType;
  if (node instanceof z.ZodTuple) return (step) => node.def.items[Number(step)] as z.ZodType | undefined;
  if (node instanceof z.ZodUnion) {
    const fits = optionFor(node, value);
    return fits === undefined ? () => undefined : membersOf(fits, value);
  }
  return () => undefined;
}

const optionFor = ({ options }: z.ZodUnion, value: JsonValue | undefined): z.ZodType | undefined =>
  (options as readonly z.ZodType[]).find((option) =>
    isJsonObject(value) ? keysOf(option) : option instanceof z.ZodArray,
  );

/** The keys that a node allows if the value is an object. */
function keysFor(node: z.ZodType, value: JsonValue | undefined): readonly string[] | undefined {
  const option = node instanceof z.ZodUnion ? optionFor(node, value) : node;
  return option && keysOf(option);
}

/** The valid keys of the object at a path, or of the enclosing object. */
export function keysAround(query: JsonObject, path: Path, context: ParseContext): readonly string[] {
  let node: z.ZodType | undefined = schemaOf(context);
  let keys = keysOf(node) ?? [];
  for (const [index, step] of path.entries()) {
    node = node && membersOf(node, valueAt(query, path.slice(0, index)))(step);
    keys = (node && keysFor(node, valueAt(query, path.slice(0, index + 1)))) ?? keys;
  }
  return keys;
}
