// qal import <dataset> <file...>: files, or standard input, into a site.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CommandInput, JobFailed } from '../../host-shim/extension-api';
import { OPT_INS } from '../../manifests/reader/format-schema';
import { CONFLICT_RULES } from '../data/import/conflict-rules';
import { openCountries } from '../data/import/derive/country-of-address';
import { ImportError } from '../data/import/import-error';
import type { ImportOptions } from '../data/import/import-options';
import { IMPORTABLE } from '../data/import/loaders';
import { type AnalyticsCommand, textOption } from './analytics-command';
import { follow } from './follow-option';
import { formatOption, pairsOption } from './format-options';
import { gapFile, shellWord } from './gap-option';
import { importFiles, PREVIEW_ROWS } from './import-files';

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
    { flags: '--rejected <file>', about: 'another file for the bad rows' },
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
    {
      flags: '--on-gap <what>',
      about:
        'what --follow does if the log was rotated away before it was read: record it for Health, or stop',
      choices: ['record', 'stop'],
      fallback: 'record',
    },
    { flags: '--gap <number>', about: 'import what is missing of a followed log, as "imports gaps" shows' },
    ...OPT_INS.map((name) => ({ flags: `--enable-${name}`, about: OPT_IN_ABOUT[name] })),
  ],
  async run(analytics, input) {
    const { host, manifest, settings } = analytics;
    const { args, options } = input;
    const [material = '', ...files] = args;
    const isFollowing = options.follow === true;
    const sizes = isFollowing ? [] : await Promise.all(files.map((file) => input.sizeOf(file)));
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
    const rejected = textOption(options.rejected);
    if (isFollowing)
      return follow(files, shared, input, {
        seconds: Number(options.every),
        onGap: options.onGap === 'stop' ? 'stop' : 'record',
        rejected: rejected ?? `${files[0]}.rejected.ndjson`,
        options: optionsText(material, options),
      });
    const gap = textOption(options.gap);
    if (gap === undefined)
      return importFiles(files, shared, input, { total, rejected, open: input.openFile });
    const { open, closes } = await gapFile(
      analytics,
      { site: shared.site, material, gap: Number(gap) },
      files,
      input,
    );
    await importFiles(files, { ...shared, alsoWrite: closes }, input, { total, rejected, open });
  },
};

/** Words what stopped the import as the failure of the command. */
function failJob(error: unknown): never {
  throw error instanceof ImportError ? new JobFailed(error.message, { cause: error }) : error;
}

/** Options about how a log is followed, which an import of a part of it does not take. */
const OF_FOLLOWING = [
  '--follow',
  '--every <seconds>',
  '--on-gap <what>',
  '--gap <number>',
  '--rejected <file>',
];
/** Options that name a file of this machine. */
const FILES = ['--format', '--geoip'];

/** The dataset and the options that say how its rows are read, as they are typed. */
function optionsText(material: string, options: CommandInput['options']): string {
  const typed = importCommand.options.flatMap(({ flags, fallback }) => {
    const [flag = ''] = flags.split(' ');
    const value = options[optionKey(flag.slice(2))];
    if (OF_FOLLOWING.includes(flags) || value === undefined || value === false || value === fallback)
      return [];
    if (value === true) return [flag];
    return [flag, FILES.includes(flag) && existsSync(value) ? resolve(value) : value];
  });
  return [material, ...typed].map(shellWord).join(' ');
}

/** `enable-http-errors` -> `enableHttpErrors`, as options are called. */
const optionKey = (name: string): string =>
  name.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
