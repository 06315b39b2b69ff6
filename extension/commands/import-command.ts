// qal import <material> <file>: a file, or standard input, into a site.
import type { Readable } from 'node:stream';
import { type CommandInput, JobFailed } from '../../host-shim/extension-api';
import { ImportError } from '../import/import-error';
import { importFile } from '../import/import-file';
import type { ImportReport } from '../import/import-options';
import { IMPORTABLE } from '../import/loaders';
import { rejectedFile } from '../import/rejected-rows';
import { type AnalyticsCommand, textOption } from './analytics-command';

/** Where the rejected rows of standard input and of pipes go: in the working folder. */
const STDIN_REJECTED = 'stdin.rejected.ndjson';

export const importCommand: AnalyticsCommand = {
  name: 'import',
  summary: `import rows from a file, or from standard input (-); materials: ${IMPORTABLE.join(', ')}`,
  args: [
    { name: 'material', about: 'what the rows are' },
    { name: 'file', about: 'NDJSON, CSV or TSV, or - for standard input' },
  ],
  options: [
    { flags: '--site <id>', about: 'tracking id of the site', required: true },
    {
      flags: '--format <format>',
      about: 'form of the file (default: recognised by its beginning and its name)',
    },
    {
      flags: '--timezone <name>',
      about: 'zone of times without an offset, such as Europe/Berlin; qa-tsv needs it',
    },
    {
      flags: '--on-error <what>',
      about: 'stop: import nothing; skip: write bad rows to FILE.rejected.ndjson',
      choices: ['stop', 'skip'],
      fallback: 'stop',
    },
  ],
  async run({ host, manifest }, input) {
    const {
      args: [material = '', file = '-'],
      options,
    } = input;
    const timezone = textOption(options.timezone);
    const onError = options.onError === 'skip' ? 'skip' : 'stop';
    const { stream, bytes } = await input.openFile(file);
    const isFile = bytes !== undefined;
    const rejected = rejectedFile(isFile ? `${file}.rejected.ndjson` : STDIN_REJECTED, {
      outdatesOld: isFile && onError === 'skip',
    });
    const progress = input.openProgress(bytes);
    try {
      const report = await importFile({
        write: host.database.write,
        manifest,
        material,
        site: textOption(options.site) ?? '',
        input: stream,
        ...(typeof options.format === 'string' && { format: options.format }),
        fileName: file,
        source: file,
        onError,
        clock: host.clock,
        signal: alsoEnding(stream, input.signal),
        ...(timezone !== undefined && { timezone }),
        onRejected: rejected.add,
        onProgress({ bytes, read }) {
          progress.show(bytes, `${read.toLocaleString('en')} rows`);
        },
      });
      progress.close();
      input.out(reportText(report, await rejected.keep()));
    } catch (error) {
      progress.close();
      await rejected.discard();
      throw error instanceof ImportError ? new JobFailed(error.message, { cause: error }) : error;
    }
  },
};

/** The signal, which now also ends a wait for input that never comes. */
function alsoEnding(stream: Readable, signal: CommandInput['signal']): AbortSignal {
  const stop = () => stream.destroy(new ImportError('Stopped; nothing was imported.'));
  signal.addEventListener('abort', stop, { once: true });
  stream.once('close', () => signal.removeEventListener('abort', stop));
  return signal;
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
