// A running import: its progress, and the contents of its record.

import type { Flow } from './fill-batches';
import type { ImportCounts } from './import-counts';
import { ImportError } from './import-error';
import type { ImportedFile, JointOptions } from './import-options';
import type { Rejection } from './import-record';
import type { LoadTotals } from './loader';
import type { PreviewRow } from './preview-rows';
import type { ImportEnd, ProgressRecorder } from './record-import';
import type { RecordSoFar } from './shared-record';

export interface ImportRun {
  readonly options: JointOptions;
  readonly files: readonly ImportedFile[];
  readonly startedAt: Date;
  readonly rejections: Rejection[];
  readonly preview: PreviewRow[];
  readonly warnings: string[];
  readonly formats: Set<string>;
  importId?: number | undefined;
  /** The counts of earlier transactions of the record. */
  before?: RecordSoFar | undefined;
  flow?: Flow;
  recorder?: ProgressRecorder;
  bytes: number;
  /** The number of files that were read to the end. */
  done: number;
  isLost: boolean;
  /** Whether only the commit is left. */
  isWritten: boolean;
}

export const newRun = (
  options: JointOptions,
  files: readonly ImportedFile[],
  startedAt: Date,
): ImportRun => ({
  ...{ options, files, startedAt, rejections: [], preview: [], warnings: [], formats: new Set() },
  ...{ bytes: 0, done: 0, isLost: false, isWritten: false },
});

export function refuseStopped({ options: { signal }, before }: ImportRun): void {
  if (signal?.aborted === true)
    throw new ImportError(
      before === undefined
        ? 'Stopped; nothing was imported.'
        : 'Stopped; what was already imported remains stored.',
    );
}

const NOTHING: LoadTotals = { added: 0, updated: 0, kept: 0, unchanged: 0 };
const SUMMED = 'added to an earlier row of the same key';

export const countsOf = ({ flow }: ImportRun, { summed = 0, ...totals }: LoadTotals): ImportCounts => ({
  read: flow?.read() ?? 0,
  skipped: { ...flow?.skipped(), ...(summed > 0 && { [SUMMED]: summed }) },
  rejected: flow?.rejected() ?? 0,
  waiting: 0,
  ...totals,
});

/** The result of this run, without earlier transactions of its record. */
export const endOf = (run: ImportRun, totals = NOTHING): ImportEnd => ({
  ...countsOf(run, totals),
  format: formatOf(run),
  bytes: run.bytes,
  finishedAt: run.options.clock(),
  rejections: run.rejections,
});

/** The format as recorded: until a file is open, the requested one. */
export function formatOf({ formats, options: { format } }: Pick<ImportRun, 'formats' | 'options'>): string {
  if (formats.size > 0) return [...formats].join(', ');
  return typeof format === 'string' ? format : (format?.name ?? 'recognised');
}

/** The sum over all transactions of the record, including this one. */
export function sumWith(before: RecordSoFar | undefined, end: ImportEnd): ImportEnd {
  if (before === undefined) return end;
  const skipped: Record<string, number> = { ...before.skipped };
  for (const [reason, rows] of Object.entries(end.skipped)) skipped[reason] = (skipped[reason] ?? 0) + rows;
  return {
    ...end,
    skipped,
    format: [...new Set([...before.format.split(', '), ...end.format.split(', ')])].join(', '),
    bytes: before.bytes + end.bytes,
    read: before.read + end.read,
    added: before.added + end.added,
    updated: before.updated + end.updated,
    kept: before.kept + end.kept,
    unchanged: before.unchanged + end.unchanged,
    rejected: before.rejected + end.rejected,
    waiting: before.waiting + end.waiting,
  };
}
