// What an import reports and records: of one transaction, and as the sum over all transactions of its record.
import type { Flow } from './fill-batches';
import type { ImportCounts } from './import-counts';
import type { Rejection } from './import-record';
import type { LoadTotals } from './loader';

/** The result of a transaction, or of all transactions of a record. */
export interface ImportEnd extends ImportCounts {
  readonly format: string;
  readonly bytes: number;
  readonly finishedAt: Date;
  /** Of this transaction. */
  readonly rejections: readonly Rejection[];
}

export const NO_ROWS: LoadTotals = { added: 0, updated: 0, kept: 0, unchanged: 0 };
const SUMMED = 'added to an earlier row of the same key';

export const countsOf = (flow: Flow | undefined, { summed = 0, ...totals }: LoadTotals): ImportCounts => ({
  read: flow?.read() ?? 0,
  skipped: { ...flow?.skipped(), ...(summed > 0 && { [SUMMED]: summed }) },
  rejected: flow?.rejected() ?? 0,
  waiting: 0,
  ...totals,
});

const SUMS = ['bytes', 'read', 'added', 'updated', 'kept', 'unchanged', 'rejected', 'waiting'] as const;

/** The sum of earlier transactions and one more. */
export function sumOf(before: ImportEnd | undefined, end: ImportEnd): ImportEnd {
  if (before === undefined) return end;
  const skipped: Record<string, number> = { ...before.skipped };
  for (const [reason, rows] of Object.entries(end.skipped)) skipped[reason] = (skipped[reason] ?? 0) + rows;
  return {
    ...{ ...end, ...Object.fromEntries(SUMS.map((name) => [name, before[name] + end[name]])), skipped },
    format: [...new Set([...before.format.split(', '), ...end.format.split(', ')])].join(', '),
  };
}
