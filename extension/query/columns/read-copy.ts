// Reads the copy for queries: an answer counts only if the copy was exactly as new as the query wants when its snapshot was taken.
import type { RowBatches } from '../../language/types/compiled-query';
import { type ColumnReader, GaveUp } from '../query-context';
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

/** The reading part of the copy. */
export function copyReader({ file, copyOf, whyNot, gaveUp }: CopyState): Pick<ColumnReader, 'read'> {
  const asGaveUp = (error: unknown) =>
    error instanceof ColumnsUnavailable ? { gaveUp: error.message } : gaveUp(error);

  async function* resumed(
    first: IteratorResult<readonly (readonly (string | number | null)[])[], void>,
    rest: RowBatches,
    signal: AbortSignal,
  ): RowBatches {
    try {
      if (first.done === true) return;
      yield first.value;
      yield* rest;
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof RangeError ? error : new GaveUp(asGaveUp(error).gaveUp);
    } finally {
      await rest.return();
    }
  }

  return {
    async read(statement, sites, signal) {
      const open = file();
      if (open === undefined || whyNot(sites) !== undefined) return CHANGED_MEANWHILE;
      // The versions alone would not tell of a copy that was made anew from the same data, whose counts are not there yet.
      const copies = sites.map(({ siteId }) => copyOf(siteId));
      const batches = open.batches(statement, signal);
      try {
        const first = await batches.next();
        // The statement has its snapshot by now, so what changes later does not show in it.
        const isSame = sites.every(({ siteId }, index) => copyOf(siteId) === copies[index]);
        if (isSame && whyNot(sites) === undefined) return { rows: resumed(first, batches, signal) };
        await batches.return();
        return CHANGED_MEANWHILE;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RangeError) throw error;
        return asGaveUp(error);
      }
    },
  };
}

/** Why copies of sites cannot answer for these versions, as a sentence. */
export function whyNotOf(
  sites: Parameters<ColumnReader['whyNot']>[0],
  copies: ReadonlyMap<number, SiteCopy>,
  whyLeft: (siteId: number) => string | undefined,
  whyMissing: (siteId: number) => string,
): string | undefined {
  for (const { siteId, version } of sites) {
    const left = whyLeft(siteId);
    if (left !== undefined) return left;
    const copied = copies.get(siteId)?.version;
    if (copied === undefined) return whyMissing(siteId);
    if (copied !== version)
      return 'The data changed a moment ago; the column copy is being brought up to date.';
  }
  return undefined;
}
