// Reads lines in the W3C extended log format, as IIS and CloudFront write it: a `#Fields:` line names the
// fields of the lines after it, until the next one.
import { countOf } from '../../../../host-shim/extension-api';
import { KNOWN_WORDS } from '../../../../manifests/reader/known-words';
import { decoded } from '../derive/site-addresses';
import { ImportError } from '../import-error';
import { type LogRecord, withoutPort } from './log-fields';
import type { ReadLogLine } from './log-pattern';

const NEEDED = ['date', 'time', 'cs-method', 'cs-uri-stem'];
const DIRECTIVE = '#Fields:';
const CELL = /"(?:[^"]|"")*"|[^ \t]+/g;

/** Returns a ReadLogLine for the lines of one file, in order. It throws an ImportError if the log lacks a required field. */
export function w3cLog(): ReadLogLine {
  let count = 0;
  let places: readonly (readonly [ours: string, place: number])[] = [];
  return (text, line) => {
    if (text.startsWith(DIRECTIVE)) {
      const names = cellsOf(text.slice(DIRECTIVE.length)).map((name) => name.toLowerCase());
      const lacking = NEEDED.filter((name) => !names.includes(name));
      if (lacking.length > 0)
        throw new ImportError(
          `the log must have the fields ${NEEDED.join(', ')}; it lacks ${lacking.join(', ')}`,
          { line },
        );
      count = names.length;
      places = Object.entries(KNOWN_WORDS.w3c_fields).flatMap(([theirs, ours]) =>
        names.includes(theirs) ? [[ours, names.indexOf(theirs)] as const] : [],
      );
      return undefined;
    }
    if (text.startsWith('#')) return undefined;
    if (count === 0) return `precedes the ${DIRECTIVE} line that names its fields`;
    const cells = cellsOf(text);
    if (cells.length !== count)
      return `has ${countOf(cells.length, 'field')}, but the ${DIRECTIVE} line names ${count}`;
    return completed(Object.fromEntries(places.map(([ours, place]) => [ours, textOf(cells[place])])));
  };
}

const cellsOf = (text: string): readonly string[] => text.match(CELL) ?? [];

function textOf(cell = '-'): string {
  if (cell === '-') return '';
  return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

/** A field that the log does not have is omitted, so a missing user agent does not make a visitor a bot. */
function completed(fields: LogRecord): LogRecord {
  const { date, time, path = '', query, host, user_agent: agent, xff } = fields;
  return {
    ...fields,
    time: `${date} ${time}`,
    // A path may contain a question mark, which IIS decodes.
    path: query ? `${path}?${query}` : path,
    ...(host !== undefined && { host: withoutPort(host) }),
    ...(agent !== undefined && { user_agent: unescaped(agent) }),
    ...(xff !== undefined && { xff: unescaped(xff) }),
  };
}

/** Fields contain no spaces: IIS writes `+` instead, and CloudFront `%20`, or `%2520` if it escapes twice. */
function unescaped(text: string): string {
  const once = decoded(text.replaceAll('+', ' '));
  return once.includes('%20') ? decoded(once) : once;
}
