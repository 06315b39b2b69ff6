// The fields of a log line, and their names in other programs.
import { ImportError } from '../import-error';
import type { FindField } from './record-fields';

/** The fields that a line may have. */
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

/** What others call these fields. A variable of any other name is a field of that name. */
export const SYNONYMS: Readonly<Record<string, Field>> = {
  ...Object.fromEntries(FIELDS.map((field) => [field, field])),
  datetime: 'time',
  time_local: 'time',
  time_iso8601: 'time',
  msec: 'time',
  http_x_forwarded_for: 'xff',
  proxy_add_x_forwarded_for: 'xff',
  request_method: 'method',
  request_uri: 'path',
  uri: 'path',
  args: 'query',
  query_string: 'query',
  http_host: 'host',
  server_name: 'host',
  http_referer: 'referrer',
  http_user_agent: 'user_agent',
};

/** In the order of FIELDS, then those that only the pattern has; undefined for a field that the log does not have. */
export type LogFields = readonly (string | undefined)[];
/** Finds fields of a LogFields with these names. */
export const logField =
  (names: readonly string[]): FindField =>
  (name) => {
    const place = names.indexOf(SYNONYMS[name] ?? name);
    if (place < 0) throw new ImportError(`the log has no field ${name}; its fields are ${names.join(', ')}`);
    return (fields) => (Array.isArray(fields) ? fields[place] : undefined);
  };

/** Finds fields of a log that has no others. */
export const plainLogField: FindField = logField(FIELDS);

/** The fields of a line by their names. */
export const logFields = (fields: Readonly<Partial<Record<Field, string>>>): LogFields =>
  FIELDS.map((name) => fields[name]);
