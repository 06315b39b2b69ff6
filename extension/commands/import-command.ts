// qal import <dataset> <file...>: files, or standard input, into a site.
import type { Readable } from 'node:stream';
import { type CommandInput, JobFailed } from '../../host-shim/extension-api';
import { OPT_INS } from '../../manifests/reader/format-schema';
import { CONFLICT_RULES } from '../import/conflict-rules';
import { openCountries } from '../import/derive/country-of-address';
import { ImportError } from '../import/import-error';
import { importFile } from '../import/import-file';
import type { ImportOptions, ImportReport } from '../import/import-options';
import { IMPORTABLE } from '../import/loaders';
import type { PreviewRow } from '../import/preview-rows';
import { rejectedFile } from '../import/rejected-rows';
import { type AnalyticsCommand, textOption } from './analytics-command';
import { follow } from './follow-option';
import { formatOption, pairsOption } from './format-options';
import { addReports, reportText } from './import-report';

/** Where the rejected rows of standard input and of pipes go: in the working folder. */
const STDIN_REJECTED = 'stdin.rejected.ndjson';
const PREVIEW_ROWS = 20;

const wholeSeconds = (text: string): string | undefined =>
  /^[1-9]\d{0,5}$/.test(text) ? undefined : 'Give whole seconds, such as 30.';

const OPT_IN_ABOUT: Readonly<Record<(typeof OPT_INS)[number], string>> = {
  bots: 'import requests of bots, too',
  static: 'import requests of images, scripts and other files, too',
  'http-errors': 'import requests that were answered with an error, too',
  'http-redirects': 'import requests that were redirected, too',
  'other-hosts': 'import requests for hosts that are not of the site, too',
};

export const importCommand: AnalyticsCommand = {
  name: 'import',
  summary: `import rows from files, or from standard input (-); datasets: ${IMPORTABLE.join(', ')}`,
  args: [
    { name: 'dataset', about: 'what the rows are' },
    { name: 'file', about: 'the files, also packed with gzip; or - for standard input', several: true },
  ],
  options: [
    { flags: '--site <id>', about: 'tracking id of the site', required: true },
    {
      flags: '--format <format>',
      about:
        'a format, log: with the pattern of its lines, or FILE.yaml (default: recognised by beginning and name)',
    },
    { flags: '--map <pairs>', about: 'their fields as our columns: created_at=access_time,page=url' },
    { flags: '--set <pairs>', about: 'columns with one value for every row: search_type=image' },
    { flags: '--delimiter <character>', about: 'what stands between the cells of CSV, such as ;' },
    { flags: '--timezone <name>', about: 'zone of times without an offset, such as Europe/Berlin' },
    {
      flags: '--source <name>',
      about: 'keeps rows without an id apart from equal ones of another source, such as a second server',
    },
    { flags: '--geoip <file>', about: 'database of countries by address (.mmdb)' },
    {
      flags: '--on-error <what>',
      about: 'stop: import nothing; skip: write bad rows to FILE.rejected.ndjson',
      choices: ['stop', 'skip'],
      fallback: 'stop',
    },
    {
      flags: '--on-conflict <what>',
      about: 'what happens to a row that is stored with other values',
      choices: CONFLICT_RULES,
      fallback: 'replace',
    },
    {
      flags: '--dry-run',
      about: `read and check everything, show the first ${PREVIEW_ROWS} rows, write nothing`,
    },
    { flags: '--follow', about: 'go on with what is written to the log, also after a restart, until Ctrl-C' },
    {
      flags: '--every <seconds>',
      about: 'how often --follow looks for new lines',
      fallback: '30',
      check: wholeSeconds,
    },
    ...OPT_INS.map((name) => ({ flags: `--enable-${name}`, about: OPT_IN_ABOUT[name] })),
  ],
  async run({ host, manifest, settings }, input) {
    const { args, options } = input;
    const [material = '', ...files] = args;
    const sizes = await Promise.all(files.map((file) => input.sizeOf(file)));
    const timezone = textOption(options.timezone);
    const sourceName = textOption(options.source);
    const delimiter = textOption(options.delimiter);
    const format = formatOption(textOption(options.format), manifest);
    const geoip = textOption(options.geoip);
    if (geoip !== undefined) await input.sizeOf(geoip);
    const countryOf = geoip === undefined ? undefined : await openCountries(geoip).catch(failJob);
    const conflict = CONFLICT_RULES.find((rule) => rule === options.onConflict);
    const shared = {
      write: host.database.write,
      manifest,
      material,
      site: textOption(options.site) ?? '',
      onError: options.onError === 'skip' ? 'skip' : 'stop',
      clock: host.clock,
      renamed: pairsOption('--map', options.map),
      constants: pairsOption('--set', options.set),
      optIns: new Set(OPT_INS.filter((name) => options[optionKey(`enable-${name}`)] === true)),
      ...(format !== undefined && { format }),
      ...(timezone !== undefined && { timezone }),
      ...(sourceName !== undefined && { sourceName }),
      ...(delimiter !== undefined && { delimiter }),
      ...(countryOf && { countryOf }),
      ...(conflict !== undefined && { onConflict: conflict }),
      undoableImports: settings.undoableImports,
      ...(options.dryRun === true && { dryRun: { rows: PREVIEW_ROWS } }),
    } satisfies Omit<ImportOptions, 'input' | 'source'>;
    const total = sizes.includes(undefined)
      ? undefined
      : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
    if (options.follow === true) await follow(files, shared, input, Number(options.every));
    else await importAll(files, shared, input, total);
  },
};

/** Words what stopped the import as the failure of the command. */
function failJob(error: unknown): never {
  throw error instanceof ImportError ? new JobFailed(error.message, { cause: error }) : error;
}

/** Imports one file after the other. Those before a failing one stay. */
async function importAll(
  files: readonly string[],
  shared: Omit<ImportOptions, 'input' | 'source'>,
  input: CommandInput,
  total: number | undefined,
): Promise<void> {
  const progress = input.openProgress(total);
  const reports: ImportReport[] = [];
  const rejectedPaths: string[] = [];
  let before = 0;
  try {
    for (const file of files) {
      const { stream, bytes } = await input.openFile(file);
      const isFile = bytes !== undefined;
      const rejected = rejectedFile(isFile ? `${file}.rejected.ndjson` : STDIN_REJECTED, {
        outdatesOld: isFile && shared.onError === 'skip',
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
            progress.show(before + done.bytes, `${(read + done.read).toLocaleString('en')} rows`);
          },
        });
        reports.push(report);
        const path = await rejected.keep();
        if (path !== undefined) rejectedPaths.push(path);
      } catch (error) {
        await rejected.discard();
        throw error instanceof ImportError ? failureOf(error, file, files, reports.length) : error;
      }
      before += bytes ?? 0;
    }
  } finally {
    progress.close();
  }
  if (shared.dryRun !== undefined) showPreview(reports, input);
  input.out(reportText(addReports(reports), files.length, rejectedPaths, shared.dryRun !== undefined));
}

function failureOf(error: ImportError, file: string, files: readonly string[], done: number): JobFailed {
  if (files.length === 1) return new JobFailed(error.message, { cause: error });
  const stays =
    done === 0
      ? ''
      : ` ${done === 1 ? 'The file before it stays' : `The ${done} files before it stay`} imported.`;
  return new JobFailed(`${file}: ${error.message}.${stays}`.replace('..', '.'), { cause: error });
}

/** `enable-http-errors` -> `enableHttpErrors`, as options are called. */
const optionKey = (name: string): string =>
  name.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());

/** The signal, which now also ends a wait for input that never comes. */
function alsoEnding(stream: Readable, signal: CommandInput['signal']): AbortSignal {
  const stop = () => stream.destroy(new ImportError('Stopped; nothing was imported.'));
  signal.addEventListener('abort', stop, { once: true });
  stream.once('close', () => signal.removeEventListener('abort', stop));
  return signal;
}

/** One column under the other, since rows are wider than terminals. */
function showPreview(reports: readonly ImportReport[], input: CommandInput): void {
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
  if (rows.length > 0) input.out('\n');
}
