// Clicks and events imported before their page view wait in a table that no query reads. They are stored as
// facts, with strings instead of dimension ids, so they do not refer to anything that may be removed.
import { hash } from 'node:crypto';
import { nextNumbers } from '../../rows/generated-ids';
import { beginRow, type RowBatch, setValue, valueAt } from '../../rows/row-batch';
import type { TableLayout } from '../../rows/table-layout';
import { occurrenceCounter } from '../bounded-maps';
import type { DimensionIds } from '../dimensions';
import { textHash } from '../fingerprint';
import type { LoaderContext } from '../loader-context';
import { textsOf } from '../merge-texts';
import { FROM_VIEW, namedFields } from './fill-in-views';

interface WaitingTable {
  readonly layout: TableLayout;
  /** The dimension that only these rows refer to. */
  readonly texts: DimensionIds;
  readonly rowId: string;
}

type Facts = Readonly<Record<string, string | number>>;

/** The fields of a waiting row in addition to its facts. Times are in epoch seconds. */
const FIELDS = ['at', 'pv_id', 'session_id', 'reader_id'] as const;

export interface WaitingRow extends Readonly<Record<(typeof FIELDS)[number], number | null>> {
  readonly id: number;
  readonly material: string;
  readonly facts: Facts;
}

const factFields = ({ layout, rowId }: WaitingTable) =>
  layout.columns
    .map((column, field) => ({ ...column, field }))
    .filter(({ name }) => name !== rowId && !FROM_VIEW.includes(name));

/** Returns a function that stores one file's rows until their view is imported. `sourceOf` returns the name of a row's source. */
export function waitingKeeper(
  context: LoaderContext,
  table: WaitingTable,
  sourceOf: (batch: RowBatch, row: number) => string | undefined,
) {
  const { client, siteId, material, importId = 0, limits } = context;
  const { get } = namedFields(table.layout);
  const fields = factFields(table);
  const occurrence = occurrenceCounter(limits.rowHashes);
  let arrival: number | undefined;

  const idOf = (batch: RowBatch, row: number, name: string): number | null => {
    const value = get(batch, row, name);
    return Number.isNaN(value) ? null : value;
  };

  /** Identical rows in a file are treated as separate rows. */
  const keyOf = (parts: readonly unknown[]): string => {
    const digest = hash('sha256', JSON.stringify([material.name, ...parts]), 'hex');
    const count = occurrence(Number.parseInt(digest.slice(0, 12), 16) + 1);
    return hash('sha256', `${count} ${digest}`, 'hex').slice(0, 32);
  };

  return async (batch: RowBatch, rows: readonly number[]) => {
    const known = rows.map((row) => get(batch, row, table.texts.id)).filter((id) => !Number.isNaN(id));
    const texts = await textsOf(context, table.texts, known);
    const factsOf = (row: number): Facts =>
      Object.fromEntries(
        fields.flatMap(({ name, field, text }) => {
          const value = valueAt(batch, row, field);
          if (Number.isNaN(value)) return [];
          const stored = text === undefined ? undefined : batch.extras[row * batch.extrasPerRow + text];
          return [[name, (name === table.texts.id ? texts.get(value)?.[0] : stored) ?? value]];
        }),
      );
    const kept = rows.map((row) => {
      const ids = Object.fromEntries(FIELDS.map((name) => [name, idOf(batch, row, name)]));
      const { source_no: number, ...facts } = factsOf(row);
      const source = sourceOf(batch, row);
      return {
        ...ids,
        line: batch.lines[row] ?? 0,
        row_key: keyOf([source ?? null, ...Object.values(ids), facts]),
        facts: source === undefined ? facts : { ...facts, source_no: number },
      };
    });
    // Arrival numbers come from the sequence of the rows' ids.
    arrival ??= (await nextNumbers(client, 'waiting_row', 'waiting_id'))[0];
    const rowList = JSON.stringify(kept);
    const { rowCount } = await client.query(AGAIN, [siteId, importId, arrival, rowList]);
    await client.query(
      `INSERT INTO analytics.waiting_row
         (site_id, material, import_ids, arrivals, lines, at, pv_id, session_id, reader_id, facts, row_key)
       SELECT $1, $2, ARRAY[$3::integer], ARRAY[$4::bigint], ARRAY[line], to_timestamp(at), pv_id, session_id, reader_id, facts, row_key
         FROM json_to_recordset($5) AS u(line bigint, at float8, pv_id bigint, session_id bigint, reader_id bigint, facts jsonb, row_key uuid)
        ORDER BY line ON CONFLICT (site_id, row_key) DO NOTHING`,
      [siteId, material.name, importId, arrival, rowList],
    );
    // Not the count of the INSERT, which on Citus includes rows that conflict.
    const again = rowCount ?? 0;
    return {
      added: kept.length - again,
      /** Rows that were already waiting. */
      again,
    };
  };
}

/**
 * SQL assignments that remove the arrival at `place`, an expression, from the row `w`. If `place` is null, nothing is removed.
 */
export const withoutArrival = (place: string, appended = ['', '', '']): string =>
  ['import_ids', 'arrivals', 'lines']
    .map((list, at) => {
      const rest = `coalesce(w.${list}[:${place} - 1] || w.${list}[${place} + 1:], w.${list})`;
      return `${list} = ${rest}${appended[at] ?? ''}`;
    })
    .join(', ');

/** Only the first and the last arrival of a row in an import make a difference; those in between are removed. */
const AGAIN = `
UPDATE analytics.waiting_row w
   SET ${withoutArrival('(array_positions(w.import_ids, $2::integer))[2]', [' || $2::integer', ' || $3::bigint', ' || u.line'])}
  FROM json_to_recordset($4) AS u(row_key uuid, line bigint)
 WHERE w.site_id = $1 AND w.row_key = u.row_key`;

/** Appends a waiting row to a batch, with the values from its file. The row's id replaces its line number. */
export function addWaiting(table: WaitingTable, batch: RowBatch, row: WaitingRow): void {
  const { layout, texts } = table;
  beginRow(batch);
  const { set } = namedFields(layout);
  const place = batch.end;
  for (const name of FIELDS) set(batch, place, { [name]: row[name] ?? Number.NaN });
  for (const { name, field, text } of factFields(table)) {
    const value = row.facts[name];
    if (value === undefined) continue;
    if (text !== undefined) batch.extras[place * batch.extrasPerRow + text] = String(value);
    if (name === texts.id) setValue(batch, place, field, texts.idOf([`${value}`]));
    else setValue(batch, place, field, typeof value === 'number' ? value : textHash(0, value));
  }
  batch.lines[place] = row.id;
  batch.end += 1;
}
