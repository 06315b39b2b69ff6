// The fields of a log line, and their names in other programs.
import { KNOWN_WORDS } from '../../../../manifests/reader/known-words';
import { ImportError } from '../import-error';
import type { FindField } from './record-fields';

/** The possible fields of a line. */
export const FIELDS = [
  'remote_addr',
  'xff',
  'time',
  'request',
  'method',
  'path',
  'query',
  'status',
  'host',
  'referrer',
  'user_agent',
] as const;
export type Field = (typeof FIELDS)[number];
export const NAMES: readonly string[] = FIELDS;

/**
 * The fields by our own names and the names in other programs. A variable with any other name is a field with
 * that name.
 */
export const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ...NAMES.map((field) => [field, field] as const),
  ...Object.entries(KNOWN_WORDS.log_fields).flatMap(([field, names]) =>
    names.map((name) => [name, field] as const),
  ),
]);

/**
 * In the order of FIELDS, then the fields that only the pattern has; undefined for a field that the log does
 * not have.
 */
export type LogFields = readonly (string | undefined)[];
/** Finds the fields with these names in a LogFields. */
export const logField =
  (names: readonly string[]): FindField =>
  (name) => {
    const place = names.indexOf(SYNONYMS.get(name) ?? name);
    if (place < 0) throw new ImportError(`the log has no field ${name}; its fields are ${names.join(', ')}`);
    return (fields) => (Array.isArray(fields) ? fields[place] : undefined);
  };

/** Finds fields in a log without additional ones. */
export const plainLogField: FindField = logField(FIELDS);

/** The fields of a line by their names. */
export const logFields = (fields: Readonly<Record<string, string | undefined>>): LogFields =>
  FIELDS.map((name) => fields[name]);
