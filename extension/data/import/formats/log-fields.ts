// The fields of a log line, and their names in other programs.
import { KNOWN_WORDS } from '../../../../manifests/reader/known-words';
import { ImportError } from '../import-error';
import { type FindField, member } from './record-fields';

/** The fields from which rows can be created. */
export const FIELDS: readonly string[] = [
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
];

const SYNONYMS: ReadonlyMap<string, string> = new Map(
  Object.entries(KNOWN_WORDS.log_fields).flatMap(([field, names]) =>
    names.map((name) => [name, field] as const),
  ),
);

/** Our name for a field, given its name in any program. A variable with any other name is a field with that name. */
export const ownName = (variable: string): string => SYNONYMS.get(variable) ?? variable;

/** The fields of a line by name, without those that the log does not have. */
export type LogRecord = Record<string, string>;

export const withoutPort = (host: string): string => host.replace(/:\d+$/, '');

/** Finds these fields, by our own names or those in other programs. */
export const logField =
  (names: readonly string[]): FindField =>
  (name) => {
    const field = ownName(name);
    if (!names.includes(field))
      throw new ImportError(`the log has no field ${name}; its fields are ${names.join(', ')}`);
    return member(field);
  };
