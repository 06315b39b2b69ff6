// A JSON object for each row, and a line feed after each.
import type { Pieces, StreamedTable, Value } from '../../language/types/query-result';

const jsonOf = (value: Value): string => (typeof value === 'string' ? JSON.stringify(value) : String(value));

export async function* ndjsonPieces({ columns, rows: batches }: StreamedTable): Pieces {
  const names = columns.map(({ name }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  const line = (row: readonly Value[]) =>
    `${names.map((name, index) => name + jsonOf(row[index] ?? null)).join('')}}\n`;
  try {
    for await (const rows of batches) yield Buffer.from(rows.map(line).join(''));
  } finally {
    await batches.return();
  }
}
