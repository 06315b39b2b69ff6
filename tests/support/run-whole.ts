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

/** A store whose files are unlinked as soon as they are open. */
export const testStore = (maxBytes?: number): RowStore =>
  createRowStore({
    folder: join(tmpdir(), 'qal-test-answers'),
    ...(maxBytes !== undefined && { maxBytes }),
  });
