// Small answers as one value.
import type { Row } from '../language/types/compiled-query';
import type { Answer, KeptRows, WholeAnswer } from '../language/types/query-result';

/** The answer with its rows as values. Releases the kept rows. */
export async function wholeAnswer(answer: Answer<KeptRows>): Promise<WholeAnswer> {
  const rows: Row[] = [];
  try {
    for await (const batch of answer.rows.batches()) for (const row of batch) rows.push(row);
  } finally {
    answer.rows.release();
  }
  return { ...answer, columns: answer.columns.map(({ name }) => name), rows };
}
