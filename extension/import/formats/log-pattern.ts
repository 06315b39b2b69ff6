// Reads lines of a log by a pattern such as `$remote_addr - - [$time] "$request" $status $size`. A log_format of nginx can be
// pasted as it is.
import { ImportError } from '../import-error';

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
type Field = (typeof FIELDS)[number];

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

export type LogFields = Readonly<Partial<Record<string, string>>>;

/** Compiles a pattern. Throws an ImportError if it lacks the time or what was asked for. */
export function logPattern(pattern: string): LogPattern {
  const fields: (Field | undefined)[] = [];
  let source = '';
  let from = 0;
  for (const { 0: variable, 1: name = '', index } of pattern.matchAll(/\$\{?(\w+)\}?/g)) {
    source += quoted(pattern.slice(from, index));
    from = index + variable.length;
    fields.push(SYNONYMS[name]);
    source += `(${shapeOf(name, pattern[from])})`;
  }
  const known = fields.filter((field) => field !== undefined);
  if (!known.includes('time') || !(known.includes('request') || known.includes('path')))
    throw new ImportError(
      `The pattern ${pattern} must have $time and $request, or $time and $path; it may have ${FIELDS.map((field) => `$${field}`).join(' ')}`,
    );
  const regex = new RegExp(`^${source}${quoted(pattern.slice(from))}${pattern.endsWith('"') ? '' : '\\s*$'}`);
  return { fieldCount: known.length, read: (line) => fieldsOf(regex.exec(line), fields) };
}

function shapeOf(name: string, next: string | undefined): string {
  if (next === '"') return '(?:[^"\\\\]|\\\\.)*';
  if (next === ']') return '[^\\]]*';
  return SHAPES[name] ?? (next === undefined ? '.*?' : next === ' ' ? '\\S*' : `[^${quoted(next)}]*`);
}

const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

function fieldsOf(
  match: RegExpExecArray | null,
  names: readonly (Field | undefined)[],
): LogFields | undefined {
  if (match === null) return undefined;
  const fields: Partial<Record<string, string>> = {};
  for (let place = 0; place < names.length; place += 1) {
    const name = names[place];
    const value = match[place + 1] ?? '';
    if (name !== undefined)
      fields[name] = value === '-' ? '' : value.includes('\\') ? unescaped(value) : value;
  }
  if (fields.request !== undefined) Object.assign(fields, partsOfRequest(fields.request));
  if (fields.query && !fields.path?.includes('?')) fields.path = `${fields.path}?${fields.query}`;
  if (fields.host !== undefined) fields.host = fields.host.replace(/:\d+$/, '');
  return fields;
}

/** `GET /tea HTTP/1.1` -> method and path; both are empty if it is something else. */
function partsOfRequest(request: string): { readonly method: string; readonly path: string } {
  const end = request.lastIndexOf(' HTTP/');
  const space = request.indexOf(' ');
  if (end <= space || !/^[A-Z]+ (?:\/|https?:)/.test(request)) return { method: '', path: '' };
  return { method: request.slice(0, space), path: request.slice(space + 1, end) };
}

/** What servers write for quotes, control characters and bytes beyond ASCII: `\"`, `\\`, `\xHH`. The bytes are UTF-8. */
function unescaped(text: string): string {
  return text.replace(
    /(?:\\x[0-9a-fA-F]{2})+|\\(["\\])/g,
    (run, sign: string | undefined) => sign ?? Buffer.from(run.replaceAll('\\x', ''), 'hex').toString('utf8'),
  );
}
