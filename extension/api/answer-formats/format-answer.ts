import type { Pieces, StreamedTable, Value } from '../../language/types/query-result';
import { csvPieces, spreadsheetPieces } from './csv';
import type { StreamedFormat } from './format-names';
import { parquetPieces } from './parquet';

/** Rejects if reading fails before the first byte. Later failures are thrown while iterating. */
export async function formatAnswer(
  result: StreamedTable,
  format: StreamedFormat,
  { signal, forSpreadsheet = false }: { readonly signal: AbortSignal; readonly forSpreadsheet?: boolean },
): Promise<Pieces> {
  switch (format) {
    case 'csv':
      return forSpreadsheet ? spreadsheetPieces(result) : csvPieces(result);
    case 'ndjson':
      return ndjsonPieces(result);
    case 'parquet':
      return parquetPieces(result, signal);
  }
}

const jsonOf = (value: Value): string => (typeof value === 'string' ? JSON.stringify(value) : String(value));

async function* ndjsonPieces({ columns, rows: batches }: StreamedTable): Pieces {
  const names = columns.map(({ name }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  const line = (row: readonly Value[]) =>
    `${names.map((name, index) => name + jsonOf(row[index] ?? null)).join('')}}\n`;
  for await (const rows of batches) yield Buffer.from(rows.map(line).join(''));
}
