// The part of a result that a model sees: a compact table of the first rows. More rows would fill the model's context.

import { countOf } from '../../../host-shim/extension-api';
import type { Row } from '../../language/types/compiled-query';
import { isEnabled } from '../../language/types/contract';
import type { Answer, KeptRows, Value } from '../../language/types/query-result';
import { csvCell } from '../answer-formats/csv';
import type { InstalledContract } from '../contracts/contract';

const MAX_ROWS = 200;
/** About 8,000 tokens. */
const MAX_BYTES = 24_000;

export interface Shown extends Omit<Answer<unknown>, 'columns' | 'rows'> {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** The number of rows that are not shown. */
  readonly leftOut: number;
}

/** Reads the rows to show, and releases the others. */
export async function shownOf(answer: Answer<KeptRows>): Promise<Shown> {
  const rows: Row[] = [];
  let bytes = 0;
  try {
    for await (const batch of answer.rows.batches())
      for (const row of batch) {
        bytes += Buffer.byteLength(lineOf(row)) + 1;
        if (rows.length === MAX_ROWS || bytes > MAX_BYTES) return shown(answer, rows);
        rows.push(row);
      }
    return shown(answer, rows);
  } finally {
    answer.rows.release();
  }
}

const shown = (answer: Answer<KeptRows>, rows: readonly Row[]): Shown => ({
  ...answer,
  columns: answer.columns.map(({ name }) => name),
  rows,
  leftOut: answer.rowCount - rows.length,
});

/** As in CSV, except that null is `null`, which is easier to read than an empty cell. The text "null" is quoted. */
const cellOf = (value: Value): string =>
  value === null ? 'null' : value === 'null' ? '"null"' : csvCell(value);

const lineOf = (row: Row): string => row.map(cellOf).join(',');

export function resultText(result: Shown, contract: InstalledContract, allRowsAt: string): string {
  const { view, count, columns, rows, rowCount, totalCount, truncated, limit, page } = result;
  if (count !== null) return `${view} has ${countOf(count, 'row')}.`;
  const more = totalCount === null ? 'there are more' : `there are ${totalCount}`;
  const cut = truncated ? `, cut off at the limit of ${limit}: ${more}` : '';
  const part = page === null ? '' : ` after row ${page.offset}, data version ${page.dataVersion}`;
  const lines = [columns.map(csvCell).join(','), ...rows.map(lineOf)];
  return [
    `${countOf(rowCount, 'row')} of ${view}${part}${cut}`,
    ...leftOutText(result, contract, allRowsAt),
    ...lines,
  ].join('\n');
}

function leftOutText(
  { rows, leftOut, page }: Shown,
  contract: InstalledContract,
  allRowsAt: string,
): readonly string[] {
  if (leftOut === 0) return [];
  const next = (page?.offset ?? 0) + rows.length;
  const ways = [
    'aggregate them with calc, or keep fewer columns',
    ...(isEnabled(contract, 'result_offset') && rows.length > 0
      ? [`read on with "offset": ${next} in result`]
      : []),
    ...(isEnabled(contract, 'answer_formats') ? [`get all rows as CSV: ${allRowsAt}`] : []),
  ];
  const what =
    rows.length === 0
      ? 'Not shown, because a row is too long. To read the rows'
      : `Only the first ${rows.length} are shown. To read the other ${leftOut}`;
  return [`${what}, ${ways.join('; or ')}.`];
}
