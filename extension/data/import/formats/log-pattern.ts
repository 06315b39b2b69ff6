// Reads log lines using a pattern such as `$remote_addr - - [$time] "$request" $status $size`. An nginx log_format
// can be pasted unchanged.
import { ImportError } from '../import-error';
import { MAX_READ_AGAIN } from '../limits';
import { FIELDS, type LogRecord, logField, ownName, withoutPort } from './log-fields';
import { requestOf } from './request-line';

/** Fields whose values visitors choose, which may contain the text that follows them in the pattern. */
const OPEN = ['user', 'remote_user'];

/** What a field may contain, if the text after it does not determine its end. */
const SHAPES: Readonly<Partial<Record<string, string>>> = {
  // This may also be a host name or a partly masked address.
  remote_addr: '[^\\s"[\\]]+',
  status: '\\d{3}|-',
  size: '\\d+|-',
};

/** For an address after a host name: a line without that name must not match. */
const PLAIN_ADDRESS = '[0-9a-fA-FxX.:*]+|-';

/** The prefix that syslog and journalctl write before each line: `Mar  2 09:15:02 web nginx[7]: `. */
const SYSLOG =
  /^(?:<\d+>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)) \S+ [\w./-]+(?:\[\d+\])?: /;

/** Returns the fields of a line, or why it has none; undefined for a line that is not a record. */
export type ReadLogLine = (text: string, line: number) => LogRecord | string | undefined;

/** Compiles a pattern. Throws an ImportError if it lacks the time or the request. */
export function logPattern(pattern: string) {
  const { lead, steps } = stepsOf(pattern);
  const variables = steps.map(({ field }) => field);
  const known = variables.filter((field) => FIELDS.includes(field));
  if (!known.includes('time') || !(known.includes('request') || known.includes('path')))
    throw new ImportError(
      `The pattern ${pattern} must have $time and $request, or $time and $path; it may have ${FIELDS.map((field) => `$${field}`).join(' ')}`,
    );
  const follow = followSteps(lead, steps);
  // A pattern that begins with something else may describe the prefix itself.
  const beginsWithClient = lead === '' && ['host', 'remote_addr'].includes(variables[0] ?? '');
  return {
    fieldCount: known.length,
    /** Finds a field by its name, including those that only this pattern has. Throws an ImportError for any other name. */
    fieldOf: logField([...new Set([...FIELDS, ...variables])]),
    /** The fields of a line; undefined if the line does not match. A field that is `-` is empty. */
    read(line: string): LogRecord | undefined {
      const whole = line.trimEnd();
      const fields = follow(beginsWithClient ? whole.replace(SYSLOG, '') : whole);
      if (fields !== undefined) completeFields(fields);
      return fields;
    },
  };
}

/**
 * A variable and the text after it. Each is matched separately, starting where the previous one ended: a single
 * expression for the whole line would backtrack, and a long line that does not match would take minutes.
 */
interface Step {
  readonly field: string;
  /** The position where a value that begins at `from` ends, or -1. */
  endOf(line: string, from: number): number;
  readonly after: string;
  /** The value may contain the text after it. */
  readonly isOpen: boolean;
}

function stepsOf(pattern: string): { readonly lead: string; readonly steps: readonly Step[] } {
  const text = pattern.trimEnd();
  const variables = [...text.matchAll(/\$\{?(\w+)\}?/g)];
  const steps = variables.map(({ 0: variable, 1: name = '', index }, place): Step => {
    const next = variables[place + 1];
    const after = text.slice(index + variable.length, next?.index);
    if (after === '' && next !== undefined)
      throw new ImportError(
        `The pattern ${pattern} has nothing between ${variable} and ${next[0]} to separate them`,
      );
    // Logs may have more after the last quote: the duration of the request, and whatever else the server is
    // configured to add.
    const isSecond =
      name === 'remote_addr' && variables.slice(0, place).some(([, one = '']) => ownName(one) === 'host');
    const shape = isSecond ? PLAIN_ADDRESS : SHAPES[name];
    const endOf = endOfValue(name, shape, after, next === undefined && !after.endsWith('"'));
    return { field: ownName(name), endOf, after, isOpen: OPEN.includes(name) };
  });
  return { lead: text.slice(0, variables[0]?.index), steps };
}

/**
 * The first open value may also end at a later occurrence of the text that follows it; any other ends at the
 * first possible position.
 */
function followSteps(lead: string, steps: readonly Step[]): (line: string) => LogRecord | undefined {
  const head = steps.slice(0, steps.findIndex(({ isOpen }) => isOpen) + 1);
  const rest = steps.slice(head.length);
  const end = head.at(-1)?.after ?? '';
  return (line) => {
    if (!line.startsWith(lead)) return undefined;
    const fields: LogRecord = {};
    let at = follow(head, line, lead.length, fields);
    for (let read = 0; at !== undefined && read < MAX_READ_AGAIN; read += line.length) {
      if (follow(rest, line, at, fields) !== undefined) return fields;
      const again = end === '' ? -1 : line.indexOf(end, at - end.length + 1);
      at = again < 0 ? undefined : again + end.length;
    }
    return undefined;
  };
}

/**
 * Reads the values from a position in the line; returns the position after them, or undefined if one does not
 * match.
 */
function follow(steps: readonly Step[], line: string, from: number, fields: LogRecord): number | undefined {
  let at = from;
  for (const { field, endOf, after } of steps) {
    const end = endOf(line, at);
    if (end < 0) return undefined;
    fields[field] = unescaped(line.slice(at, end));
    at = end + after.length;
  }
  return at;
}

function endOfValue(
  name: string,
  shape: string | undefined,
  after: string,
  endsLine: boolean,
): Step['endOf'] {
  if (shape !== undefined) {
    const value = new RegExp(`(?:${shape})(?=${quoted(after)}${endsLine ? '$' : ''})`, 'y');
    return (line, from) => {
      value.lastIndex = from;
      return value.test(line) ? value.lastIndex : -1;
    };
  }
  const sign = after.charAt(0);
  const find = OPEN.includes(name) ? after : sign;
  return (line, from) => {
    let end = find === '' ? line.length : line.indexOf(find, from);
    while (sign === '"' && isEscaped(line, from, end)) end = line.indexOf(sign, end + 1);
    // A bracket within brackets belongs to the name before them: "x [y [02/Mar/2026:09:15:02 +0100]".
    if (end < 0 || (sign === ']' && line.lastIndexOf('[', end) >= from)) return -1;
    return line.startsWith(after, end) && (!endsLine || end + after.length === line.length) ? end : -1;
  };
}

function isEscaped(line: string, from: number, place: number): boolean {
  let before = place - 1;
  while (before >= from && line[before] === '\\') before -= 1;
  return (place - before) % 2 === 0;
}

const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Splits the request line, adds the query to a path that lacks it, and removes the port from the host. */
function completeFields(fields: LogRecord): void {
  // `GET /tea HTTP/1.1`; method and path are empty if it is something else.
  if (fields.request !== undefined)
    Object.assign(fields, requestOf(fields.request) ?? { method: '', path: '' });
  const { path = '', query, host } = fields;
  if (query && !path.includes('?')) fields.path = `${path}?${query}`;
  if (host !== undefined) fields.host = withoutPort(host);
}

/**
 * Decodes a value: `-` means no value; quotes and backslashes are written as `\"` and `\\`, control characters and the UTF-8
 * bytes of non-ASCII characters as `\xHH`.
 */
function unescaped(text: string): string {
  if (text === '-') return '';
  if (!text.includes('\\')) return text;
  return text.replace(
    /(?:\\x[0-9a-fA-F]{2})+|\\(["\\])/g,
    (run, sign: string | undefined) => sign ?? Buffer.from(run.replaceAll('\\x', ''), 'hex').toString('utf8'),
  );
}
