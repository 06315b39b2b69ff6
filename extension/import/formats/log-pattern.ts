// Reads lines of a log by a pattern such as `$remote_addr - - [$time] "$request" $status $size`. A log_format of nginx can be
// pasted as it is.
import { copyOf, recentTexts } from '../bounded-maps';
import { ImportError } from '../import-error';
import type { ReadField } from './record-fields';

/** The fields that a line may give. */
const FIELDS = [
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

/** What others call these fields. Every other name is ignored. */
const SYNONYMS: Readonly<Record<string, Field>> = {
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

/** What a field may hold, where the text behind it does not tell where it ends. */
const SHAPES: Readonly<Partial<Record<string, string>>> = {
  remote_addr: '[0-9a-fA-F.:]+|-',
  status: '\\d{3}',
  size: '\\d+|-',
  user: '.*?',
  remote_user: '.*?',
};

export interface LogPattern {
  /** The fields of a line; undefined if the line does not fit. A field that is `-` is empty. */
  read(line: string): LogFields | undefined;
  readonly fieldCount: number;
}

/** In the order of FIELDS; undefined for a field that the log does not have. */
export type LogFields = readonly (string | undefined)[];
/** Gives the fields of a line, or why it has none; undefined for a line that is no record. */
export type ReadLogLine = (text: string, line: number) => LogFields | string | undefined;

/** Compiles a pattern. Throws an ImportError if it lacks the time or what was asked for. */
export function logPattern(pattern: string): LogPattern {
  const known: Field[] = [];
  let source = '';
  let from = 0;
  for (const { 0: variable, 1: name = '', index } of pattern.matchAll(/\$\{?(\w+)\}?/g)) {
    source += quoted(pattern.slice(from, index));
    from = index + variable.length;
    const field = SYNONYMS[name];
    if (field !== undefined) known.push(field);
    source += `(${field === undefined ? '?:' : ''}${shapeOf(name, pattern[from])})`;
  }
  if (!known.includes('time') || !(known.includes('request') || known.includes('path')))
    throw new ImportError(
      `The pattern ${pattern} must have $time and $request, or $time and $path; it may have ${FIELDS.map((field) => `$${field}`).join(' ')}`,
    );
  const regex = new RegExp(`^${source}${quoted(pattern.slice(from))}${pattern.endsWith('"') ? '' : '\\s*$'}`);
  const places = known.map(placeOf);
  const agents = sameTexts();
  return {
    fieldCount: known.length,
    read(line) {
      const fields = fieldsOf(regex.exec(line), places);
      const agent = fields?.[PLACE.user_agent];
      if (fields !== undefined && agent !== undefined) fields[PLACE.user_agent] = agents(agent);
      return fields;
    },
  };
}

const AGENTS = 20_000;

/** Gives the same string for equal texts, which maps then find without comparing them. */
function sameTexts(): (text: string) => string {
  const known = recentTexts<string>(AGENTS);
  return (text) => {
    const same = known.get(text);
    if (same !== undefined) return same;
    const own = copyOf(text);
    known.set(own, own);
    return own;
  };
}

const placeOf = (field: Field): number => FIELDS.indexOf(field);
const PLACE = {
  request: placeOf('request'),
  method: placeOf('method'),
  path: placeOf('path'),
  query: placeOf('query'),
  host: placeOf('host'),
  user_agent: placeOf('user_agent'),
} as const;

/** A reader of this field of a LogFields. */
export function logField(name: string): ReadField {
  const names: readonly string[] = FIELDS;
  const place = names.indexOf(name);
  return (fields) => (Array.isArray(fields) ? fields[place] : undefined);
}

/** The fields of a line by their names. */
export const logFields = (fields: Readonly<Partial<Record<Field, string>>>): LogFields =>
  FIELDS.map((name) => fields[name]);

function shapeOf(name: string, next: string | undefined): string {
  if (next === '"') return '[^"\\\\]*(?:\\\\.[^"\\\\]*)*';
  if (next === ']') return '[^\\]]*';
  return SHAPES[name] ?? (next === undefined ? '.*?' : next === ' ' ? '\\S*' : `[^${quoted(next)}]*`);
}

const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

function fieldsOf(
  match: RegExpExecArray | null,
  places: readonly number[],
): (string | undefined)[] | undefined {
  if (match === null) return undefined;
  const fields = new Array<string | undefined>(FIELDS.length).fill(undefined);
  for (let group = 1; group < match.length; group += 1) {
    const value = match[group] ?? '';
    fields[places[group - 1] ?? 0] = value === '-' ? '' : value.includes('\\') ? unescaped(value) : value;
  }
  const request = fields[PLACE.request];
  if (request !== undefined) takeRequest(fields, request);
  const [path = '', query, host] = [fields[PLACE.path], fields[PLACE.query], fields[PLACE.host]];
  if (query && !path.includes('?')) fields[PLACE.path] = `${path}?${query}`;
  if (host !== undefined) fields[PLACE.host] = host.replace(/:\d+$/, '');
  return fields;
}

const REQUEST = /^[A-Z]+ (?:\/|https?:)/;

/** `GET /tea HTTP/1.1` -> method and path; both are empty if it is something else. */
function takeRequest(fields: (string | undefined)[], request: string): void {
  const end = request.lastIndexOf(' HTTP/');
  const space = request.indexOf(' ');
  const isHttp = end > space && REQUEST.test(request);
  fields[PLACE.method] = isHttp ? request.slice(0, space) : '';
  fields[PLACE.path] = isHttp ? request.slice(space + 1, end) : '';
}

/** What servers write for quotes, control characters and bytes beyond ASCII: `\"`, `\\`, `\xHH`. The bytes are UTF-8. */
function unescaped(text: string): string {
  return text.replace(
    /(?:\\x[0-9a-fA-F]{2})+|\\(["\\])/g,
    (run, sign: string | undefined) => sign ?? Buffer.from(run.replaceAll('\\x', ''), 'hex').toString('utf8'),
  );
}
