// A query and all of its rows.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { QueryDocument } from '../../extension/qal/parse/read-document';
import type { QueryContext } from '../../extension/qal/types/query-context';
import type { RowStore, WholeAnswer } from '../../extension/qal/types/query-result';
import { createRowStore } from '../../extension/result-cache/kept-rows';
import type { ResultCache } from '../../extension/result-cache/result-cache';
import { runQuery } from '../../extension/run-query';
import { wholeAnswer } from '../../extension/whole-answer';

/** Runs a query as the routes do. */
export const runWhole = async (
  document: QueryDocument,
  context: QueryContext,
  results?: ResultCache,
): Promise<WholeAnswer> => wholeAnswer(await runQuery(document, context, results));

/** A store whose files have no names for long. */
export const testStore = (mostBytes?: number): RowStore =>
  createRowStore({
    folder: join(tmpdir(), 'qal-test-answers'),
    ...(mostBytes !== undefined && { mostBytes }),
  });
