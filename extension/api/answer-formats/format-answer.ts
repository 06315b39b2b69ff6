// The rows of a result in batches -> its bytes in another format than JSON.
import type { Pieces, StreamedTable } from '../../language/types/query-result';
import { csvPieces, spreadsheetPieces } from './csv';
import type { StreamedFormat } from './format-names';
import { ndjsonPieces } from './ndjson';
import { parquetPieces } from './parquet';

/** The bytes of a result. Rejects for rows that fail before the first byte; what fails later comes out of the pieces. */
export async function formatAnswer(
  result: StreamedTable,
  format: StreamedFormat,
  { forSpreadsheet = false }: { readonly forSpreadsheet?: boolean } = {},
): Promise<Pieces> {
  switch (format) {
    case 'csv':
      return forSpreadsheet ? spreadsheetPieces(result) : csvPieces(result);
    case 'ndjson':
      return ndjsonPieces(result);
    case 'parquet':
      return parquetPieces(result);
  }
}
