// Owns the making of edits: a query and an edit of one of its places -> the query with it. Nothing is changed in place.
import { isJsonList, isJsonObject, type JsonValue } from './json';
import type { Edit } from './repair';

/** The value with the edit made; an edit of a place that cannot be there leaves it as it is. */
export function withEdit(value: JsonValue, edit: Edit): JsonValue {
  const [step, ...rest] = edit.path;
  if (step === undefined) return 'value' in edit ? edit.value : value;
  const inner: Edit = { ...edit, path: rest };
  if (isJsonList(value)) {
    return value.flatMap((item, index) => (index !== step ? [item] : listItem(item, inner)));
  }
  if (!isJsonObject(value)) return value;
  const key = String(step);
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
