// Reads a record's fields by name. In CSV and logs, this is the field's own name. In JSON it is a path: `request.host`; `keys.0`
// is an element of a list; `params[title]` is the value of the element of a list whose `key` is `title`; `^visitorId` is a field
// of the record that contains the list; and `verb|method` is the first of these with a value.

export type ReadField = (record: unknown) => unknown;
/** Finds a field of the records by its name. */
export type FindField = (name: string) => ReadField;

/** Returns a reader of this field of JSON records. */
export function jsonField(path: string): ReadField {
  if (path.includes('|')) return firstField(path.split('|').map(jsonField));
  if (path.startsWith('^')) {
    const read = jsonField(path.slice(1));
    return (record) => read(memberOf(record, 'whole'));
  }
  const steps = path.split(/\.|(?=\[)/);
  const readers = steps.map((step) => (step.startsWith('[') ? keyedValue(step.slice(1, -1)) : member(step)));
  if (readers.length === 1 && readers[0] !== undefined) return readers[0];
  return (record) => readers.reduce((value, read) => read(value), record);
}

/** The first string or number; empty if there is only the `-` that logs write for a missing value. */
function firstField(readers: readonly ReadField[]): ReadField {
  return (record) => {
    const values = readers.map((read) => read(record));
    const found = values.find((value) => typeof value !== 'object' && !NOTHING.has(textOf(value)));
    return found ?? (values.every((value) => value === undefined) ? undefined : '');
  };
}

const NOTHING: ReadonlySet<string> = new Set(['', '-']);

/** Returns a reader of this field for `{ element, whole }`: an element of a list, with the record that contains it. */
export function elementField(path: string): ReadField {
  const read = jsonField(path);
  return path.startsWith('^') ? read : (record) => read(memberOf(record, 'element'));
}

export const member =
  (name: string): ReadField =>
  (value) =>
    memberOf(value, name);

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The value in a list of `{key, value}`, where `value` is an object with one member set. */
function keyedValue(key: string): ReadField {
  return (list) => {
    const found = Array.isArray(list) ? list.find((item) => memberOf(item, 'key') === key) : undefined;
    return found === undefined ? undefined : filledValue(memberOf(found, 'value'));
  };
}

/** The key and the value of an item of such a list. */
export const keyAndValue = (item: unknown): readonly [string, unknown] => [
  textOf(memberOf(item, 'key')),
  filledValue(memberOf(item, 'value')),
];

/** The member of `{string_value, int_value, ...}` that is set. Text is converted to a number if that loses no digits. */
function filledValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const [type, filled] = Object.entries(value).find(([, one]) => one !== null && one !== undefined) ?? [];
  if (type === 'string_value' || typeof filled !== 'string') return filled;
  const number = Number(filled);
  return filled !== '' && (Number.isSafeInteger(number) || (type !== 'int_value' && Number.isFinite(number)))
    ? number
    : filled;
}

/** The text of a field for comparisons: empty if it is absent. */
export const textOf = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
