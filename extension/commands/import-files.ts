// Imports files for `qal import`, with progress and a report. The files share an import record, and small files share a transaction.
import type { Readable } from 'node:stream';
import {
  type CommandInput,
  countOf,
  formatCount,
  type InputFile,
  JobFailed,
} from '../../host-shim/extension-api';
import { addCounts } from '../data/import/import-counts';
import { BadValue, ImportError } from '../data/import/import-error';
import type { ImportedFile, ImportReport, JointOptions, JointReport } from '../data/import/import-options';
import { importTogether } from '../data/import/import-together';
import { openRunRecord } from '../data/import/run-record';
import { noteRejectedFile } from '../data/removal/visitor-files';
import { showPreview } from './format-result';
import { type RejectedChoices, rejectedRows } from './rejected-files';

export type SharedOptions = Omit<JointOptions, 'source' | 'record' | 'continues'>;

interface Reading extends Omit<RejectedChoices, 'note'> {
  /** One per file; undefined for standard input and pipes. */
  readonly sizes: readonly (number | undefined)[];
  /** Records each file as a separate import, which can be undone separately. */
  readonly isSeparate: boolean;
  open(file: string): Promise<InputFile>;
}

/** Files up to this total size are imported in one transaction. */
const SMALL_BYTES = 2 ** 24;

/** Files before a failed one stay imported. */
export async function importFiles(
  files: readonly string[],
  shared: SharedOptions,
  input: CommandInput,
  reading: Reading,
): Promise<void> {
  const { sizes, isSeparate, open } = reading;
  const isDryRun = shared.dryRun !== undefined;
  const progress = input.openProgress(totalOf(sizes));
  const { write, site, clock } = shared;
  const note = (path: string) => noteRejectedFile(write, site, path, clock());
  const rejected = rejectedRows(files, { ...reading, note }, shared);
  const reports: JointReport[] = [];
  const record =
    isSeparate || files.length === 1 || isDryRun ? undefined : openRunRecord(write, clock, 'partial');
  let done = 0;
  let bytesBefore = 0;
  const failed = (error: ImportError): JobFailed =>
    failureOf(
      isSeparate && files.length > 1 ? error.in(files[done] ?? '-') : error,
      files.length,
      done,
      shared.onError,
    );
  try {
    while (done < files.length) {
      const end = isSeparate || isDryRun ? done + 1 : endOfSmall(sizes, done);
      const group = Array.from({ length: end - done }, (_, place): ImportedFile => {
        const at = done + place;
        const file = files[at] ?? '-';
        return {
          name: file,
          label: files.length > 1 && !isSeparate ? file : undefined,
          async open() {
            const { stream } = await open(file);
            await rejected.begin(at);
            destroyOnAbort(stream, input.signal);
            return stream;
          },
          onRejected: (row) => rejected.add(at, row),
        };
      });
      const readBefore = reports.reduce((sum, { read }) => sum + read, 0);
      const options: JointOptions = {
        ...shared,
        // A followed log may have been waiting for the site while the earlier files were imported.
        wait: done > 0,
        source: record === undefined ? (files[done] ?? '-') : sourceOf(files),
        ...(record !== undefined && { record, continues: end < files.length }),
        signal: input.signal,
        onProgress(now) {
          progress.show(bytesBefore + now.bytes, countOf(readBefore + now.read, 'row'));
        },
      };
      const report = await importTogether(options, group).catch(async (error: unknown) => {
        await rejected.discard();
        throw error instanceof ImportError ? failed(error) : error;
      });
      await rejected.keep(done + report.files).catch((error: unknown) => {
        throw error instanceof ImportError && !isDryRun
          ? new JobFailed(
              `The other rows were imported. ${error.message}, and import again, which adds no row twice.`,
            )
          : error;
      });
      reports.push(report);
      done += report.files;
      bytesBefore = totalOf(sizes.slice(0, done)) ?? 0;
      if (report.failure !== undefined) throw failed(report.failure);
    }
  } finally {
    await record?.close();
    progress.close();
  }
  if (isDryRun) showPreview(reports, rejected.shown(), input);
  input.out(reportText(reports, files.length, rejected.paths(), isDryRun));
}

const totalOf = (sizes: readonly (number | undefined)[]): number | undefined =>
  sizes.includes(undefined) ? undefined : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);

/** Returns the end of the group of small files that begins at `first`. */
function endOfSmall(sizes: readonly (number | undefined)[], first: number): number {
  let bytes = sizes[first];
  let end = first + 1;
  for (; bytes !== undefined && end < sizes.length; end += 1) {
    const size = sizes[end];
    if (size === undefined || bytes + size > SMALL_BYTES) break;
    bytes += size;
  }
  return end;
}

const sourceOf = (files: readonly string[]): string =>
  `${files[0]} and ${countOf(files.length - 1, 'more file', 'more files')}`;

function failureOf(
  error: ImportError,
  files: number,
  done: number,
  onError: SharedOptions['onError'],
): JobFailed {
  const reason = error.message.replace(/\.$/, '');
  const isRow = error.cause instanceof BadValue && onError === 'stop';
  const before = done === 1 ? 'The file before it stays' : `The ${done} files before it stay`;
  const rest = [
    ...(isRow ? ['To import the other rows anyway, use --on-error skip.'] : []),
    ...(done === 0 ? [] : [`${before} imported.`]),
  ];
  if (files === 1 && rest.length === 0) return new JobFailed(error.message, { cause: error });
  return new JobFailed([`${reason}.`, ...rest].join(' '), { cause: error });
}

/** Aborting the signal also stops waiting for input. */
function destroyOnAbort(stream: Readable, signal: CommandInput['signal']): void {
  const stop = () => stream.destroy(new ImportError('Stopped.'));
  signal.addEventListener('abort', stop, { once: true });
  stream.once('close', () => signal.removeEventListener('abort', stop));
}

function reportText(
  reports: readonly ImportReport[],
  files: number,
  rejectedPaths: readonly string[],
  isDryRun: boolean,
): string {
  const report = addCounts(reports);
  const seconds = reports.reduce((sum, one) => sum + one.seconds, 0);
  const warning = reports.find((one) => one.warning !== undefined)?.warning;
  const isWritten = rejectedPaths.length > 0;
  const skipped = Object.entries(report.skipped).sort(([, a], [, b]) => b - a);
  const sum = skipped.reduce((total, [, count]) => total + count, 0);
  const lines = [
    ...(files > 1 ? [`files      ${formatCount(files)}`] : []),
    `format     ${[...new Set(reports.map(({ format }) => format))].join(', ')}`,
    `read       ${formatCount(report.read)}`,
    `added      ${formatCount(report.added)}`,
    ...(report.updated > 0
      ? [`updated    ${formatCount(report.updated)}  (stored values were replaced)`]
      : []),
    ...(report.kept > 0 ? [`kept       ${formatCount(report.kept)}  (stored values were kept)`] : []),
    `unchanged  ${formatCount(report.unchanged)}${report.unchanged > 0 ? '  (already stored, or repeated in the file)' : ''}`,
    ...(report.waiting > 0
      ? [
          `waiting    ${formatCount(report.waiting)}  (for their page views, which have not been imported yet)`,
        ]
      : []),
    ...(sum > 0 ? [`skipped    ${formatCount(sum)}`] : []),
    ...skipped.map(([reason, count]) => `  ${formatCount(count).padStart(9)}  ${reason}`),
    `rejected   ${formatCount(report.rejected)}${isWritten ? `  (see ${rejectedPaths.join(', ')})` : ''}`,
    `seconds    ${seconds.toFixed(1)}`,
    `rows/s     ${formatCount(Math.round(report.read / Math.max(seconds, 0.001)))}`,
    ...(warning === undefined ? [] : [warning]),
    ...(isDryRun ? [`Nothing was ${isWritten ? 'imported' : 'written'}: this was a dry run.`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
