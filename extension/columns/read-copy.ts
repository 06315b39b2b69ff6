// Reads the copy for queries: an answer counts only if the copy was exactly as new as the query wants, to its end.
import type { RowBatches } from '../qal/types/compiled-query';
import type { ColumnReader } from '../qal/types/query-context';
import type { ColumnFile } from './column-file';
import { ColumnsUnavailable } from './column-file-error';
import type { SiteCopy } from './refresh-site';

export interface CopyState extends Pick<ColumnReader, 'whyNot'> {
  /** undefined while there is none to read. */
  file(): ColumnFile | undefined;
  /** What it has of a site: another object after every refresh. */
  copyOf(siteId: number): SiteCopy | undefined;
  /** What to do about a failure, and what to say of it. */
  gaveUp(error: unknown): { readonly gaveUp: string };
}

const CHANGED_MEANWHILE = { gaveUp: 'The data changed while the query ran.' };
const CUT_OFF = { gaveUp: 'The column copy did not give all rows.' };

/** The reading part of the copy. */
export function copyReader({
  file,
  copyOf,
  whyNot,
  gaveUp,
}: CopyState): Pick<ColumnReader, 'read' | 'readBatches'> {
  async function reading<T>(
    sites: Parameters<ColumnReader['read']>[1],
    signal: AbortSignal,
    work: (file: ColumnFile, isUnchanged: () => boolean) => Promise<T>,
  ): Promise<T | { readonly gaveUp: string }> {
    const open = file();
    if (open === undefined || whyNot(sites) !== undefined) return CHANGED_MEANWHILE;
    // The versions alone would not tell of a copy that was made anew from the same data, whose counts are not there yet.
    const copies = sites.map(({ siteId }) => copyOf(siteId));
    try {
      const isSame = () => sites.every(({ siteId }, index) => copyOf(siteId) === copies[index]);
      return await work(open, () => whyNot(sites) === undefined && isSame());
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ColumnsUnavailable) return { gaveUp: error.message };
      if (error instanceof RangeError) throw error;
      return gaveUp(error);
    }
  }

  return {
    read: (statement, sites, signal) =>
      reading(sites, signal, async (open, isUnchanged) => {
        const rows = await open.read(statement, signal);
        return isUnchanged() ? { rows } : CHANGED_MEANWHILE;
      }),
    readBatches: (statement, sites, signal) =>
      reading(sites, signal, async (open, isUnchanged) => {
        const batches = open.batches(statement, signal);
        const first = await batches.next();
        // The statement has its snapshot by now, so what changes later does not show in it.
        if (!isUnchanged()) {
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
