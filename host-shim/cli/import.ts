// qal import <material> <file>: a file, or standard input, into a site.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Option } from 'commander';
import { FORMATS, type Format } from '../../extension/import/formats/read-rows';
import { ImportError } from '../../extension/import/import-error';
import { IMPORTABLE, type ImportReport, importFile } from '../../extension/import/import-file';
import { rejectedFile } from '../../extension/import/rejected-file';
import { loadManifest } from '../../manifests/reader/manifest';
import { type AddCommand, type CommandContext, JobFailed } from './command';
import { openProgress } from './progress';
import { sizeOfReadable } from './read-input';

interface ImportCommandOptions {
  readonly site: string;
  readonly format?: Format;
  readonly timezone?: string;
  readonly onError: 'stop' | 'skip';
}

const READ_BYTES = 256 * 1024;
/** Where the rejected rows of standard input and of pipes go: in the working folder. */
const STDIN_REJECTED = 'stdin.rejected.ndjson';

export const importCommand: AddCommand = (program, context) => {
  program
    .command('import <material> <file>')
    .description(`import rows from a file, or from standard input (-); materials: ${IMPORTABLE.join(', ')}`)
    .requiredOption('--site <id>', 'tracking id of the site')
    .addOption(
      new Option('--format <format>', 'form of the file (default: by its name)').choices([...FORMATS]),
    )
    .option('--timezone <name>', 'zone of times without an offset, such as Europe/Berlin; qa-tsv needs it')
    .addOption(
      new Option('--on-error <what>', 'stop: import nothing; skip: write bad rows to FILE.rejected.ndjson')
        .choices(['stop', 'skip'])
        .default('stop'),
    )
    .action(async (material: string, file: string, options: ImportCommandOptions) => {
      const size = file === '-' ? undefined : await sizeOfReadable(file);
      const format = options.format ?? formatOf(file);
      const isFile = file !== '-' && (await stat(file)).isFile();
      await context.withDatabase(async ({ write }) => {
        const input =
          file === '-' ? context.terminal.stdin : createReadStream(file, { highWaterMark: READ_BYTES });
        const rejected = rejectedFile(isFile ? `${file}.rejected.ndjson` : STDIN_REJECTED, {
          outdatesOld: isFile && options.onError === 'skip',
        });
        const progress = openProgress(context.terminal, context.clock, size);
        let done = 0;
        try {
          const report = await importFile({
            write,
            manifest: loadManifest(),
            material,
            site: options.site,
            input,
            format,
            source: file,
            onError: options.onError,
            clock: context.clock,
            signal: stoppedBy(context, input),
            ...(options.timezone === undefined ? {} : { timezone: options.timezone }),
            onRejected: rejected.add,
            onProgress({ bytes, read }) {
              done = bytes;
              progress.show(done, `${read.toLocaleString('en')} rows`);
            },
            onCounting: (share) =>
              progress.show(done, `all rows read, counting: ${Math.floor(100 * share)}%`),
          });
          progress.close();
          const kept = await rejected.keep();
          context.terminal.stdout.write(reportText(report, kept));
        } catch (error) {
          progress.close();
          await rejected.discard();
          if (error instanceof ImportError) throw new JobFailed(error.message);
          throw error;
        }
      });
    });
};

/** The signal of the command; it also ends a wait for input that never comes. */
function stoppedBy(context: CommandContext, input: Readable): AbortSignal {
  const stop = () => input.destroy(new ImportError('Stopped; nothing was imported.'));
  context.signal.addEventListener('abort', stop, { once: true });
  input.once('close', () => context.signal.removeEventListener('abort', stop));
  return context.signal;
}

function formatOf(file: string): Format {
  return file.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson';
}

function reportText(report: ImportReport, rejectedPath: string | undefined): string {
  const number = (value: number) => value.toLocaleString('en');
  const lines = [
    `read       ${number(report.read)}`,
    `added      ${number(report.added)}`,
    ...(report.updated > 0 ? [`updated    ${number(report.updated)}  (were there with other numbers)`] : []),
    `unchanged  ${number(report.unchanged)}${report.unchanged > 0 ? '  (were there already)' : ''}`,
    `rejected   ${number(report.rejected)}${rejectedPath === undefined ? '' : `  (see ${rejectedPath})`}`,
    `seconds    ${report.seconds.toFixed(1)}`,
    `rows/s     ${number(report.rowsPerSecond)}`,
    ...(report.warning === undefined ? [] : [report.warning]),
  ];
  return `${lines.join('\n')}\n`;
}
