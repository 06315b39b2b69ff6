// Finds a visitor in records by comparing parsed values, so that neither a key nor a part of another value matches. A number
// matches only where it may refer to a visitor. Text that is not JSON is searched for words, or for quoted values.

import { importableColumns, importName } from '../../../manifests/reader/import-columns';
import type { Manifest } from '../../../manifests/reader/manifest';
import {
  isJsonList,
  isJsonObject,
  isJsonScalar,
  type JsonValue,
  parsedJson,
  scalarText,
} from '../../language/types/json';
import type { VisitorIds } from './find-visitor';

const VISITOR_COLUMN = /(?:^|\.)(?:reader_id|original_id)$/;
const NAMES_VISITOR_COLUMN = /reader_id|original_id/;
const IS_NUMBER = /^\d+$/;

/** A shortened name identifies the visitor if it has at least this many characters. */
const SHORTEST_BEGINNING = 8;
/** Records show at most 200 characters of a value, after its quotation mark. */
const MAX_SHOWN = 201;
const IS_LONG_NUMBER = /^\d{8,}$/;

export type Mentions = ReturnType<typeof mentionsOf>;

export const namesOf = ({ names, earlierNames }: VisitorIds): readonly string[] => [
  ...names,
  ...earlierNames,
];

export function mentionsOf(manifest: Manifest, visitor: VisitorIds) {
  const names = namesOf(visitor);
  const numbers = visitor.readerIds.map(String);
  const ids = new Set([...names, ...numbers]);
  const others = otherColumns(manifest);
  const quoted = names.flatMap(quotedAs);
  const allNames = wordsOf(names);
  const texts = wordsOf(names.filter((name) => !IS_NUMBER.test(name)));
  const ofNumbers = wordsOf(numbers);
  const written = wordsOf(
    [...ids].filter((id) => !IS_NUMBER.test(id) || IS_LONG_NUMBER.test(id)),
    'giu',
  );
  const isQuotedIn = (text: string) => quoted.some((part) => text.includes(part));
  const isComparedIn = (text: string) => NAMES_VISITOR_COLUMN.test(text) && isQuotedIn(text);
  const has = (json: JsonValue, matches: (value: FoundValue) => boolean): boolean =>
    valuesOf(json).some((found) => ids.has(found.text) && matches(found));
  return {
    /** Whether a row has one of the visitor's ids as a value. Its columns may have any names. */
    inRow: (row: JsonValue): boolean =>
      has(row, ({ text, key }) => !IS_NUMBER.test(text) || !others.has(key)),
    /** Whether a query's text compares a visitor column with this visitor. */
    inQuery(text: string): boolean {
      const query = parsedJson(text);
      return query === undefined ? isComparedIn(text) : has(query, ({ isOfVisitor }) => isOfVisitor);
    },
    /** Whether an answer contains one of the visitor's ids as a value. */
    inAnswer: (answer: JsonValue): boolean =>
      has(answer, ({ text, isOfVisitor }) => isOfVisitor || !IS_NUMBER.test(text)),
    /** Whether a line contains one of the visitor's ids as whole words. */
    inLine: (line: string): boolean =>
      allNames?.test(line) === true || (NAMES_VISITOR_COLUMN.test(line) && ofNumbers?.test(line) === true),
    /** Whether an import's message quotes the visitor, or contains a non-numeric name as whole words. */
    inMessage: (text: string): boolean => isQuotedIn(text) || texts?.test(text) === true,
    /** Whether text quotes the visitor, in full or shortened. */
    isQuotedIn,
    /** Whether a path in a query contains one of the visitor's names. */
    inPath(path: string): boolean {
      const steps = `.${path.replaceAll('[', '.[')}.`;
      return names.some((name) => !IS_NUMBER.test(name) && steps.includes(`.${name.replaceAll('[', '.[')}.`));
    },
    /** Whether text names a visitor column and quotes this visitor. */
    isComparedIn,
    /** Replaces names and ids in text that a person wrote. Short numbers are kept: in such text, they rarely refer to a visitor. */
    without: (text: string, replacement: string): string =>
      written === undefined ? text : text.replace(written, () => replacement),
  };
}

/** The columns of all materials that do not identify visitors. */
const otherColumns = ({ materials }: Manifest): ReadonlySet<string> =>
  new Set(
    [...materials.values()]
      .flatMap((material) => [...material.columns.keys(), ...importableColumns(material).map(importName)])
      .filter((name) => !VISITOR_COLUMN.test(name)),
  );

interface FoundValue {
  readonly text: string;
  /** The innermost key that contains the value. */
  readonly key: string;
  /** Whether the value is inside a visitor column's value, and is not the name of another column. */
  readonly isOfVisitor: boolean;
}

/** All values in a JSON value. A row may be nested too deeply for recursion. */
function valuesOf(json: JsonValue): readonly FoundValue[] {
  const found: FoundValue[] = [];
  const open = [{ value: json, key: '', isOfVisitor: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, key, isOfVisitor } = next;
    if (isJsonScalar(value)) found.push({ text: scalarText(value), key, isOfVisitor });
    else if (isJsonList(value)) for (const each of value) open.push({ value: each, key, isOfVisitor });
    else if (isJsonObject(value))
      for (const [name, each] of Object.entries(value))
        open.push({
          value: each,
          key: name,
          isOfVisitor: VISITOR_COLUMN.test(name) || (isOfVisitor && name !== 'column'),
        });
  }
  return found;
}

/** A regular expression for any of these strings as whole words, including their JSON form. */
function wordsOf(texts: readonly string[], flags = 'u'): RegExp | undefined {
  if (texts.length === 0) return undefined;
  const written = new Set(texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]));
  // Longest first, because the first alternative that matches is taken.
  const parts = [...written]
    .toSorted((one, other) => other.length - one.length)
    .map((text) => text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${parts.join('|')})(?![\\p{L}\\p{N}])`, flags);
}

/** The forms in which bodies and messages quote a value: as JSON that clients may write, in full or shortened with "...". */
function quotedAs(name: string): readonly string[] {
  const json = JSON.stringify(name);
  const ascii = json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const written = [json, ascii].flatMap((one) => [one, one.replaceAll('/', '\\/')]);
  const shortest = Math.min(SHORTEST_BEGINNING, name.length) + 1;
  const shortened: string[] = [];
  for (let end = shortest; end <= Math.min(json.length - 1, MAX_SHOWN); end += 1)
    shortened.push(`${json.slice(0, end)}...`);
  return [...new Set([...written, ...shortened])];
}
