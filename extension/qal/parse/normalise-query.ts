// The tolerant normaliser: a query of any form -> the query that was meant, with all certain repairs of its shape.
// One walk along the schema: where a value does not fit, the rule of its place says what was meant.
import { z } from 'zod';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue, valueAt } from '../types/json';
import type { Path } from '../types/path';
import { type Repair, withEdit } from '../types/repair';
import type { WrongPlace } from './foreign-form';
import { meantAt } from './foreign-forms';

/** The query with all certain repairs of its shape. */
export function normaliseQuery(
  sent: JsonObject,
  schema: z.ZodType,
  context: Pick<WrongPlace, 'contract' | 'zones'>,
): JsonObject {
  let query = sent;
  const apply = (repair: Repair | undefined): void => {
    const edited: JsonValue = repair?.certain === true ? repair.edits.reduce(withEdit, query) : query;
    if (isJsonObject(edited)) query = edited;
  };
  const visit = (node: z.ZodType, path: Path, keys: readonly string[], isUnknownKey = false): void => {
    const value = valueAt(query, path);
    if (!isUnknownKey && node.safeParse(value).success) return;
    if (path.length > 0) apply(meantAt({ query, path, value, keys, ...context }, isUnknownKey)?.repair);
    if (!isUnknownKey) visitMembers(node, path, keys);
  };
  const visitMembers = (node: z.ZodType, path: Path, keys: readonly string[]): void => {
    const value = valueAt(query, path);
    const members = membersOf(node, value);
    if (isJsonList(value)) {
      const lengthNow = () => Object(valueAt(query, path)).length;
      for (let index = 0; index < lengthNow(); ) {
        const before = lengthNow();
        const member = members(index);
        if (member !== undefined) visit(member, [...path, index], keys);
        // What was moved elsewhere leaves its place to the next.
        if (lengthNow() === before) index += 1;
      }
    } else if (isJsonObject(value)) {
      const own = keysOf(node) ?? keys;
      for (const key of Object.keys(value)) {
        if (members(key) === undefined) visit(node, [...path, key], own, true);
      }
      const edited = valueAt(query, path);
      const names = new Set([...Object.keys(Object(edited)), ...(keysOf(node) ?? [])]);
      for (const key of names) {
        const member = members(key);
        if (member !== undefined) visit(member, [...path, key], own);
      }
    }
  };
  visit(schema, [], keysOf(schema) ?? []);
  return query;
}

/** The keys of an object that has a closed set of them. */
function keysOf(node: z.ZodType): readonly string[] | undefined {
  const inner = node instanceof z.ZodOptional ? (node.unwrap() as z.ZodType) : node;
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : undefined;
}

/** The schema of each member of an object or list that is to be `node`. */
function membersOf(
  node: z.ZodType,
  value: JsonValue | undefined,
): (step: string | number) => z.ZodType | undefined {
  if (node instanceof z.ZodOptional) return membersOf(node.unwrap() as z.ZodType, value);
  if (node instanceof z.ZodObject)
    return (step) => (Object.hasOwn(node.shape, step) ? node.shape[step] : undefined);
  if (node instanceof z.ZodRecord) return () => node.valueType as z.ZodType;
  if (node instanceof z.ZodArray) return () => node.element as z.ZodType;
  if (node instanceof z.ZodTuple) return (step) => node.def.items[Number(step)] as z.ZodType | undefined;
  if (node instanceof z.ZodUnion) {
    const options = node.options as readonly z.ZodType[];
    const fits = options.find((option) =>
      isJsonObject(value) ? keysOf(option) : option instanceof z.ZodArray,
    );
    return fits === undefined ? () => undefined : membersOf(fits, value);
  }
  return () => undefined;
}

/** The keys of the object at a path of the schema, or of the one around it. */
export function keysAround(schema: z.ZodType, query: JsonObject, path: Path): readonly string[] {
  let node: z.ZodType | undefined = schema;
  let keys = keysOf(schema) ?? [];
  for (const [index, step] of path.entries()) {
    node = node && membersOf(node, valueAt(query, path.slice(0, index)))(step);
    keys = (node && keysOf(node)) ?? keys;
  }
  return keys;
}
