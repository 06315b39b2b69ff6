// Reads an answer in the response format of any contract. A count becomes a table with one cell.
import { noteText } from '../../../language/notes/note-text';
import { exactNumber } from './exact-number';
import { errorOf, isObject, type RestAnswer, type RestError } from './rest-answer';

export type Cell = string | number | null;
export type Row = readonly Cell[];

export interface TableAnswer {
  readonly kind: 'table';
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** Number of rows before the limit; null if the server did not report it. */
  readonly total: number | null;
  readonly truncated: boolean;
  /** Measured by the server; null under contracts that do not report it. */
  readonly milliseconds: number | null;
  /** Warnings about parts of the query that are easily misread. */
  readonly notes: readonly string[];
}

type QueryAnswer = TableAnswer | { readonly kind: 'error'; readonly error: RestError };

const cellOf = (value: unknown): Cell =>
  value === null || value === undefined ? null : typeof value === 'number' ? value : String(value);

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

export function readQueryAnswer(rest: RestAnswer): QueryAnswer {
  const table = rest.status === 200 ? tableOf(rest.body) : undefined;
  return table ?? { kind: 'error', error: errorOf(rest) };
}

function tableOf(body: unknown): TableAnswer | undefined {
  if (!isObject(body)) return undefined;
  const { data } = body;
  const result = isObject(body.result) ? body.result : {};
  const meta = isObject(body.meta) ? body.meta : {};
  const tableWith = (columns: readonly string[], rows: readonly (readonly unknown[])[]): TableAnswer => ({
    kind: 'table',
    columns,
    rows: rows.map((row) => row.map(cellOf)),
    total: numberOf(meta.total_count),
    truncated: meta.truncated === true,
    milliseconds: numberOf(body.query_time_ms),
    notes: Array.isArray(meta.notes) ? meta.notes.filter(isObject).map(noteText) : [],
  });
  const count = result.count ?? body.count;
  if (typeof count === 'number') return tableWith(['count'], [[count]]);
  const { columns, rows } = result;
  if (Array.isArray(columns) && Array.isArray(rows))
    return tableWith(
      columns.map(String),
      rows.filter((row) => Array.isArray(row)),
    );
  if (!Array.isArray(data)) return undefined;
  const objects = data.filter(isObject);
  const names = Object.keys(objects[0] ?? {});
  return tableWith(
    names,
    objects.map((object) => names.map((name) => object[name])),
  );
}

export const countRows = (count: number): string => `${exactNumber(count)} ${count === 1 ? 'row' : 'rows'}`;

/** If the server reports no time, shows `elapsed`: the milliseconds including the network. */
export const summaryOf = (answer: TableAnswer, elapsed: number): string =>
  [sizeOf(answer, elapsed), ...(answer.notes.length === 0 ? [] : [answer.notes.join(' ')])].join('. ');

function sizeOf({ rows, total, truncated, milliseconds }: TableAnswer, elapsed: number): string {
  const time =
    milliseconds === null
      ? `${exactNumber(Math.round(elapsed))} ms including the network`
      : `${exactNumber(milliseconds)} ms`;
  if (!truncated) return `${countRows(rows.length)}, ${time}`;
  const rest = total === null ? '' : ` of ${exactNumber(total)}`;
  return `First ${countRows(rows.length)}${rest} (limit reached), ${time}`;
}
