// Small answers with all of their rows, for callers that need no more.
import type { Row } from '../language/types/compiled-query';
import type { Answer, KeptRows, WholeAnswer } from '../language/types/query-result';

/** The answer with its rows as values; what is kept of it is released. */
export async function wholeAnswer(answer: Answer<KeptRows>): Promise<WholeAnswer> {
  const rows: Row[] = [];
  try {
    for await (const batch of answer.rows.batches()) for (const row of batch) rows.push(row);
  } finally {
    answer.rows.release();
  }
  return { ...answer, columns: answer.columns.map(({ name }) => name), rows };
}
