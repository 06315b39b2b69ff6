import { strict as assert } from 'node:assert';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { QueryDocument } from '../../extension/language/parse/read-document';
import type { RowStore, WholeAnswer } from '../../extension/language/types/query-result';
import type { QueryContext } from '../../extension/query/query-context';
import { createRowStore } from '../../extension/query/result-cache/kept-rows';
import type { ResultCache } from '../../extension/query/result-cache/result-cache';
import { runQuery, wholeAnswer } from '../../extension/query/run-query';

/** Runs a query as the routes do. */
export const runWhole = async (
  document: QueryDocument,
  context: QueryContext,
  results?: ResultCache,
): Promise<WholeAnswer> => wholeAnswer(await runQuery(document, context, results));

/** Runs a query on the columnar copy and from rows, and fails unless the answers are equal. Returns the statement on the copy. */
export async function expectSameAnswer(document: QueryDocument, context: QueryContext): Promise<string> {
  const { columns } = context;
  if (columns === undefined) throw new Error('There is no columnar copy.');
  let text = '';
  const watched: QueryContext['columns'] = {
    ...columns,
    read(statement, ...more) {
      text = statement.text;
      return columns.read(statement, ...more);
    },
  };
  const { answeredBy, ...copied } = await runWhole(document, { ...context, columns: watched });
  assert.equal(answeredBy.engine, 'columns');
  const { answeredBy: _, ...stored } = await runWhole(document, { ...context, columns: undefined });
  assert.deepEqual(copied, stored);
  return text;
}

/** A store whose files are unlinked as soon as they are open. */
export const testStore = (maxBytes?: number): RowStore =>
  createRowStore({
    folder: join(tmpdir(), 'qal-test-answers'),
    ...(maxBytes !== undefined && { maxBytes }),
  });
