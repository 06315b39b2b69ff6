// Reads the answer to a query, whichever contract spelled it: JSON -> a table and how much of the whole it is, or an error.
// A count is a table of one cell; a 200 without either is no answer of the server, and an error.
import { NO_ANSWER, sessionRefusal } from '../data/refusal';
import type { RestAnswer } from '../data/rest-answer';
import type { ServerError } from './faults';
import type { Cell, Row } from './sort-rows';

export interface TableAnswer {
  readonly kind: 'table';
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** Rows before the limit, when the server says so. */
  readonly total: number | null;
  readonly truncated: boolean;
  /** As the server measured it; null under a contract that does not tell. */
  readonly milliseconds: number | null;
}

export type Answer = TableAnswer | { readonly kind: 'error'; readonly error: ServerError };

type JsonObject = Readonly<Record<string, unknown>>;

const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const cellOf = (value: unknown): Cell =>
  value === null || value === undefined ? null : typeof value === 'number' ? value : String(value);

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The answer of POST /query; `here` is the address of the page, to come back to after a login. */
export function readAnswer(rest: RestAnswer, here: string): Answer {
  const refusal = sessionRefusal(rest, here);
  if (refusal !== undefined) return { kind: 'error', error: { code: '', ...refusal } };
  const { status, body } = rest;
  if (status !== 200) return { kind: 'error', error: errorOf(status, objectOf(body)) };
  return tableOf(objectOf(body)) ?? { kind: 'error', error: { code: '', message: NO_ANSWER } };
}

function tableOf({ result, data, meta, count, query_time_ms }: JsonObject): TableAnswer | undefined {
  const { total_count, truncated } = objectOf(meta);
  const about = {
    kind: 'table' as const,
    total: numberOf(total_count),
    truncated: truncated === true,
    milliseconds: numberOf(query_time_ms),
  };
  const { columns, rows, count: counted = count } = objectOf(result);
  if (typeof counted === 'number') return { ...about, columns: ['count'], rows: [[counted]] };
  if (Array.isArray(columns) && Array.isArray(rows))
    return { ...about, columns: columns.map(String), rows: rows.map((row) => listOf(row).map(cellOf)) };
  if (!Array.isArray(data)) return undefined;
  const objects = data.map(objectOf);
  const names = Object.keys(objects[0] ?? {});
  return {
    ...about,
    columns: names,
    rows: objects.map((object) => names.map((name) => cellOf(object[name]))),
  };
}

/** The later contract has the error in `error`, the initial one has its place and hint in `data`; the host has neither. */
function errorOf(status: number, body: JsonObject): ServerError {
  const later = body.error === undefined ? undefined : objectOf(body.error);
  const error = later ?? body;
  const more = later ?? objectOf(body.data);
  const at = textOf(more.at);
  const hint = textOf(more.hint);
  const { repaired } = later === undefined ? more : objectOf(later.details);
  return {
    code: textOf(error.code) ?? '',
    message: textOf(error.message) ?? `The server answered with status ${status}.`,
    ...(at === undefined ? {} : { at }),
    ...(hint === undefined ? {} : { hint }),
    ...(repaired === undefined ? {} : { details: { repaired } }),
  };
}

const inWords = (count: number): string => count.toLocaleString('en');

export const rowsInWords = (count: number): string => (count === 1 ? '1 row' : `${inWords(count)} rows`);

/** How many rows, of how many, and how long it took; `elapsed` stands in where the server does not tell. */
export function summaryOf({ rows, total, truncated, milliseconds }: TableAnswer, elapsed: number): string {
  const time =
    milliseconds === null ? `${inWords(Math.round(elapsed))} ms with the way` : `${inWords(milliseconds)} ms`;
  const some = total === null ? '; there are more' : ` of ${inWords(total)}`;
  return truncated
    ? `The first ${rowsInWords(rows.length)}${some}, cut by the limit, in ${time}.`
    : `${rowsInWords(rows.length)} in ${time}.`;
}
