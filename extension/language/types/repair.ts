// Repairs of a query: edits of its places, as data, and how they are applied. A hint shows them; certain ones are applied.
import { isJsonList, isJsonObject, type JsonValue, scalarText } from './json';
import type { Path } from './path';

/** A renamed key stays where it is among its neighbours; a value at a path that does not exist yet is added last. */
export type Edit =
  | { readonly path: Path; readonly value: JsonValue }
  | { readonly path: Path; readonly remove: true }
  | { readonly path: Path; readonly rename: string };

export interface Repair {
  /** Whether the caller can have meant nothing else. */
  readonly certain: boolean;
  readonly edits: readonly Edit[];
}

/** The one thing that can have been meant. */
export const certainly = (...edits: readonly Edit[]): Repair => ({ certain: true, edits });

/** What was probably meant: worth a hint, but not to be done unasked. */
export const probably = (...edits: readonly Edit[]): Repair => ({ certain: false, edits });

export const write = (path: Path, value: JsonValue): Edit => ({ path, value });
export const remove = (path: Path): Edit => ({ path, remove: true });
export const rename = (path: Path, name: string): Edit => ({ path, rename: name });

/** The query with all edits applied, each of which names its place as it is now. */
export function withEdits(query: JsonValue, edits: readonly Edit[]): JsonValue {
  const writes = edits.filter((edit) => 'value' in edit);
  const renames = edits.filter((edit) => 'rename' in edit);
  // From the end of a list, so that no removal moves the place of the next.
  const removals = edits.filter((edit) => 'remove' in edit).reverse();
  return [...writes, ...renames, ...removals].reduce(withEdit, query);
}

/** What looks for repairs and hints can fail, which is no fault of the query. */
export interface HintFailures {
  /** Reports an exception in looking for them. */
  readonly onHintFailure: (error: unknown) => void;
}

/** The value with the edit applied; nothing is changed in place. An edit of a place that cannot exist changes nothing. */
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
    // A rename to a key that is there already would lose one of the two.
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
