import { isJsonList, isJsonObject, type JsonValue, scalarText } from './json';
import type { Path } from './path';

/** A renamed key keeps its position; a value at a new path is added last. */
export type Edit =
  | { readonly path: Path; readonly value: JsonValue }
  | { readonly path: Path; readonly remove: true }
  | { readonly path: Path; readonly rename: string };

/** Hints show repairs. Those that are certain are also applied. */
export interface Repair {
  /** Whether the query can have no other meaning. */
  readonly certain: boolean;
  readonly edits: readonly Edit[];
}

export const certainly = (...edits: readonly Edit[]): Repair => ({ certain: true, edits });

export const probably = (...edits: readonly Edit[]): Repair => ({ certain: false, edits });

export const write = (path: Path, value: JsonValue): Edit => ({ path, value });
export const remove = (path: Path): Edit => ({ path, remove: true });
export const rename = (path: Path, name: string): Edit => ({ path, rename: name });

/** Applies edits whose paths all refer to the original query. */
export function withEdits(query: JsonValue, edits: readonly Edit[]): JsonValue {
  const writes = edits.filter((edit) => 'value' in edit);
  const renames = edits.filter((edit) => 'rename' in edit);
  // Removes list entries from the end, so that indexes stay valid.
  const removals = edits.filter((edit) => 'remove' in edit).reverse();
  return [...writes, ...renames, ...removals].reduce(withEdit, query);
}

export interface HintFailures {
  /** Reports an exception in the search for a hint or a repair. The query continues without it. */
  readonly onHintFailure: (error: unknown) => void;
}

/** Returns an edited copy. An edit with an impossible path changes nothing. */
export function withEdit(value: JsonValue, edit: Edit): JsonValue {
  const [step, ...rest] = edit.path;
  if (step === undefined) return 'value' in edit ? edit.value : value;
  const inner: Edit = { ...edit, path: rest };
  if (isJsonList(value)) {
    return value.flatMap((item, index) => (index === step ? listItem(item, inner) : [item]));
  }
  if (!isJsonObject(value)) return value;
  const key = scalarText(step);
  const entries = Object.entries(value);
  if (Object.hasOwn(value, key)) {
    // Renaming to an existing key would lose one of the two values.
    if (rest.length === 0 && 'rename' in edit && Object.hasOwn(value, edit.rename)) return value;
    return Object.fromEntries(
      entries.flatMap(([name, item]) => (name === key ? member(key, item, inner) : [[name, item]])),
    );
  }
  return 'value' in edit ? Object.fromEntries([...entries, [key, withEdit({}, inner)]]) : value;
}

const listItem = (item: JsonValue, edit: Edit): readonly JsonValue[] =>
  edit.path.length === 0 && 'remove' in edit ? [] : [withEdit(item, edit)];

function member(key: string, item: JsonValue, edit: Edit): readonly (readonly [string, JsonValue])[] {
  if (edit.path.length > 0 || 'value' in edit) return [[key, withEdit(item, edit)]];
  return 'rename' in edit ? [[edit.rename, item]] : [];
}
