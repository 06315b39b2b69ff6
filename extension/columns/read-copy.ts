// Reads the copy for queries: an answer counts only if the copy was exactly as new as the query wants, to its end.
import type { RowBatches } from '../qal/types/compiled-query';
import type { ColumnReader } from '../qal/types/query-context';
import type { ColumnFile } from './column-file';
import { ColumnsUnavailable } from './column-file-error';

export interface CopyState extends Pick<ColumnReader, 'whyNot'> {
  /** undefined while there is none to read. */
  file(): ColumnFile | undefined;
  /** What to do about a failure, and what to say of it. */
  gaveUp(error: unknown): { readonly gaveUp: string };
}

const CHANGED_MEANWHILE = { gaveUp: 'The data changed while the query ran.' };
const CUT_OFF = { gaveUp: 'The column copy did not give all rows.' };

/** The reading part of the copy. */
export function copyReader({ file, whyNot, gaveUp }: CopyState): Pick<ColumnReader, 'read' | 'readBatches'> {
  async function reading<T>(
    sites: Parameters<ColumnReader['read']>[1],
    signal: AbortSignal,
    work: (file: ColumnFile) => Promise<T>,
  ): Promise<T | { readonly gaveUp: string }> {
    const open = file();
    if (open === undefined || whyNot(sites) !== undefined) return CHANGED_MEANWHILE;
    try {
      return await work(open);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ColumnsUnavailable) return { gaveUp: error.message };
      if (error instanceof RangeError) throw error;
      return gaveUp(error);
    }
  }

  return {
    read: (statement, sites, signal) =>
      reading(sites, signal, async (open) => {
        const rows = await open.read(statement, signal);
        return whyNot(sites) === undefined ? { rows } : CHANGED_MEANWHILE;
      }),
    readBatches: (statement, sites, signal) =>
      reading(sites, signal, async (open) => {
        const batches = open.batches(statement, signal);
        const first = await batches.next();
        // The statement has its snapshot by now, so what changes later does not show in it.
        if (whyNot(sites) !== undefined) {
          await batches.return();
          return CHANGED_MEANWHILE;
        }
        if (first.done !== true) return { rows: resumed(first.value, batches) };
        // No rows, or a failure: a whole read tells which.
        return (await open.read(statement, signal)).length === 0 ? { rows: batches } : CUT_OFF;
      }),
  };
}

async function* resumed(first: Awaited<ReturnType<ColumnFile['read']>>, rest: RowBatches): RowBatches {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return();
  }
}
