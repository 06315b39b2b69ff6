// Imports the files of a qal import, with progress, rejected rows and a report.
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type CommandInput, countOf, type InputFile, JobFailed } from '../../host-shim/extension-api';
import { BadValue, ImportError } from '../data/import/import-error';
import { importFile } from '../data/import/import-file';
import type { ImportOptions, ImportReport } from '../data/import/import-options';
import { type Rejection, rejectionOf } from '../data/import/import-record';
import type { PreviewRow } from '../data/import/preview-rows';
import { type RejectedFile, rejectedFile } from '../data/import/rejected-rows';
import { addReports, reportText } from './import-report';

/** For rejected rows of standard input and pipes, in the working directory. */
const STDIN_REJECTED = 'stdin.rejected.ndjson';
export const PREVIEW_ROWS = 20;

interface Reading {
  readonly total: number | undefined;
  /** The file that the user named. */
  readonly rejected: string | undefined;
  readonly dataDir: string;
  open(file: string): Promise<InputFile>;
}

/** For rejected rows if the folder of the imported file, or the working directory, is read-only. */
export const rejectedFallback = (dataDir: string, path: string): string =>
  join(dataDir, 'rejected', basename(path));

/** Files before a failed one stay imported. */
export async function importFiles(
  files: readonly string[],
  shared: Omit<ImportOptions, 'input' | 'source'>,
  input: CommandInput,
  { total, rejected: rejectedPath, dataDir, open }: Reading,
): Promise<void> {
  const progress = input.openProgress(total);
  const reports: ImportReport[] = [];
  const rejectedPaths: string[] = [];
  const rejectedRows: ShownRejection[] = [];
  let before = 0;
  try {
    for (const file of files) {
      const { stream, bytes } = await open(file);
      const isFile = bytes !== undefined;
      const usual = isFile ? `${file}.rejected.ndjson` : STDIN_REJECTED;
      const rejected =
        rejectedPath !== undefined
          ? rejectedFile(rejectedPath, { outdatesOld: false, goesOn: true })
          : shared.dryRun !== undefined
            ? rejectedOnScreen(rejectedRows, files.length > 1 ? file : undefined)
            : rejectedFile(usual, {
                outdatesOld: isFile && shared.onError === 'skip',
                fallback: rejectedFallback(dataDir, usual),
              });
      const read = reports.reduce((sum, report) => sum + report.read, 0);
      try {
        const report = await importFile({
          ...shared,
          input: stream,
          fileName: file,
          source: file,
          signal: alsoEnding(stream, input.signal),
          onRejected: rejected.add,
          onProgress(done) {
            progress.show(before + done.bytes, countOf(read + done.read, 'row'));
          },
        });
        reports.push(report);
        const path = await rejected.keep();
        if (path !== undefined) rejectedPaths.push(path);
      } catch (error) {
        await rejected.discard();
        throw error instanceof ImportError
          ? failureOf(error, file, files, reports.length, shared.onError)
          : error;
      }
      before += bytes ?? 0;
    }
  } finally {
    progress.close();
  }
  if (shared.dryRun !== undefined) showPreview(reports, rejectedRows, input);
  input.out(reportText(addReports(reports), files.length, rejectedPaths, shared.dryRun !== undefined));
}

function failureOf(
  error: ImportError,
  file: string,
  files: readonly string[],
  done: number,
  onError: ImportOptions['onError'],
): JobFailed {
  const reason = error.message.replace(/\.$/, '');
  const isRow = error.cause instanceof BadValue && onError === 'stop';
  const before = done === 1 ? 'The file before it stays' : `The ${done} files before it stay`;
  const rest = [
    ...(isRow ? ['To import the other rows anyway, use --on-error skip.'] : []),
    ...(done === 0 ? [] : [`${before} imported.`]),
  ];
  if (files.length === 1 && rest.length === 0) return new JobFailed(error.message, { cause: error });
  const where = files.length === 1 ? '' : `${file}: `;
  return new JobFailed([`${where}${reason}.`, ...rest].join(' '), { cause: error });
}

/** Returns the signal. Aborting it also stops waiting for input. */
function alsoEnding(stream: Readable, signal: CommandInput['signal']): AbortSignal {
  const stop = () => stream.destroy(new ImportError('Stopped; nothing was imported.'));
  signal.addEventListener('abort', stop, { once: true });
  stream.once('close', () => signal.removeEventListener('abort', stop));
  return signal;
}

interface ShownRejection extends Rejection {
  /** If there are several files. */
  readonly file: string | undefined;
}

/** Writes no file: `rows` gets the first rejected rows. */
const rejectedOnScreen = (rows: ShownRejection[], file: string | undefined): RejectedFile => ({
  async add(row) {
    if (rows.length < PREVIEW_ROWS) rows.push({ file, ...rejectionOf(row) });
  },
  keep: async () => undefined,
  discard: async () => undefined,
});

/** Prints one column per line, because rows are wider than terminals. */
function showPreview(
  reports: readonly ImportReport[],
  rejected: readonly ShownRejection[],
  input: CommandInput,
): void {
  const rows: readonly PreviewRow[] = reports.flatMap(({ preview = [] }) => preview).slice(0, PREVIEW_ROWS);
  for (const [place, row] of rows.entries()) {
    input.out(`row ${place + 1}\n`);
    input.table(
      Object.entries(row).map(([name, value]) => [
        '',
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    );
  }
  if (rejected.length > 0) input.out('rejected rows\n');
  input.table(
    rejected.map(({ file, line, column, value, reason }) => [
      '',
      `${file === undefined ? '' : `${file}, `}line ${line}`,
      [column, value, reason].filter((part) => part !== null).join(' '),
    ]),
  );
  if (rows.length + rejected.length > 0) input.out('\n');
}
