// What an import reports and records: for one transaction, and summed over all transactions of its record.
import type { Flow } from './fill-batches';
import { addCounts, type ImportCounts } from './import-counts';
import type { Rejection } from './import-record';
import type { LoadTotals } from './loader';

/** The result of a transaction, or of all transactions of a record. */
export interface ImportEnd extends ImportCounts {
  readonly format: string;
  readonly bytes: number;
  readonly finishedAt: Date;
  /** The rejected rows in this transaction. */
  readonly rejections: readonly Rejection[];
}

export const NO_ROWS: LoadTotals = { added: 0, updated: 0, kept: 0, unchanged: 0 };
const SUMMED = 'added to an earlier row with the same key';

export function countsOf(flow: Flow | undefined, { summed = 0, ...totals }: LoadTotals): ImportCounts {
  const { read, rejected, skipped } = flow?.counts() ?? { read: 0, rejected: 0, skipped: {} };
  const all = summed > 0 ? { ...skipped, [SUMMED]: summed } : skipped;
  return { read, rejected, skipped: all, waiting: 0, ...totals };
}

/** The sum of earlier transactions and one more. */
export const sumOf = (before: ImportEnd | undefined, end: ImportEnd): ImportEnd =>
  before === undefined
    ? end
    : {
        ...end,
        ...addCounts([before, end]),
        bytes: before.bytes + end.bytes,
        format: [...new Set([...before.format.split(', '), ...end.format.split(', ')])].join(', '),
      };
