import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CommandInput, JobFailed, WrongUsage } from '../../host-shim/extension-api';
import { OPT_INS } from '../../manifests/reader/format-schema';
import { readFormat, type SourceFormat } from '../../manifests/reader/formats';
import type { Manifest } from '../../manifests/reader/manifest';
import { ManifestError } from '../../manifests/reader/read-yaml';
import { importCommandLine, shellWord } from '../data/import/command-line';
import { CONFLICT_RULES } from '../data/import/conflict-rules';
import { createKnownPlaces } from '../data/import/derive/known-places';
import { ImportError } from '../data/import/import-error';
import { IMPORTABLE } from '../data/import/loaders';
import { readPairs } from '../data/import/read-pairs';
import { completeRecords, mapHint } from '../data/import/suggest-columns';
import { type AnalyticsCommand, failJob, textOption } from './analytics-command';
import { follow, gapFile } from './follow-option';
import { PREVIEW_ROWS } from './format-result';
import { importFiles, type SharedOptions } from './import-files';
import { refuseImported } from './rejected-files';

const gapNumber = (text: string): string | undefined =>
  /^[1-9]\d{0,8}$/.test(text) ? undefined : 'It must be a gap number.';

const wholeSeconds = (text: string): string | undefined =>
  /^[1-9]\d{0,5}$/.test(text) ? undefined : 'Give a whole number of seconds, such as 30.';

const OPT_IN_ABOUT: Readonly<Record<(typeof OPT_INS)[number], string>> = {
  bots: 'also import requests by bots',
  static: 'also import requests for images, scripts and other files',
  'http-errors': 'also import requests that were answered with an error',
  'http-redirects': 'also import requests that were redirected',
  'other-hosts': "also import requests for other sites' hosts",
};

export const importCommand: AnalyticsCommand = {
  name: 'import',
  summary: `import rows from files, or from standard input (-); datasets: ${IMPORTABLE.join(', ')}`,
  args: [
    { name: 'dataset', about: 'the dataset that the rows belong to' },
    { name: 'file', about: 'files, which may be gzipped; - for standard input', several: true },
  ],
  options: [
    { flags: '--site <id>', about: 'tracking id of the site', required: true },
    {
      flags: '--format <format>',
      about:
        'a format name, log: followed by a pattern, or FILE.yaml (default: detected from content and name)',
    },
    { flags: '--map <pairs>', about: 'map fields of the file to columns: created_at=access_time,page=url' },
    { flags: '--set <pairs>', about: 'columns with the same value in every row: search_type=image' },
    { flags: '--delimiter <character>', about: 'CSV delimiter, such as ;' },
    { flags: '--timezone <name>', about: 'time zone for times without an offset, such as Europe/Berlin' },
    {
      flags: '--source <name>',
      about:
        'distinguishes identical rows without ids that come from different places, such as the logs of two servers',
    },
    {
      flags: '--geoip <file>',
      about:
        'database that maps IP addresses to countries, or also to regions and cities (.mmdb); default: QAL_GEOIP, or the one that was uploaded',
    },
    {
      flags: '--on-error <what>',
      about:
        'stop: import nothing; skip: write rejected rows to FILE.rejected.ndjson, or to DATA_DIR/rejected if the folder of FILE is read-only',
      choices: ['stop', 'skip'],
      fallback: 'stop',
    },
    { flags: '--rejected <file>', about: 'write rejected rows to this file instead' },
    {
      flags: '--on-conflict <what>',
      about: 'what to do with rows that are already stored with different values',
      choices: CONFLICT_RULES,
      fallback: 'replace',
    },
    {
      flags: '--each-file',
      about:
        'record each file as a separate import, which can be undone separately; slower for many small files',
    },
    {
      flags: '--dry-run',
      about: `read and check everything, show the first ${PREVIEW_ROWS} rows, and write nothing`,
    },
    {
      flags: '--follow',
      about: 'keep importing new lines of a log until Ctrl-C; the next run continues where this one stopped',
    },
    {
      flags: '--every <seconds>',
      about: 'how often --follow checks for new lines',
      fallback: '30',
      check: wholeSeconds,
    },
    {
      flags: '--on-gap <what>',
      about:
        'what --follow does if a log was rotated away before it was read: record the gap and show it on the Health page, or stop',
      choices: ['record', 'stop'],
      fallback: 'record',
    },
    {
      flags: '--gap <number>',
      about: 'import the missing part of a followed log; "qal imports gaps" shows its number',
      check: gapNumber,
    },
    ...OPT_INS.map((name) => ({ flags: `--enable-${name}`, about: OPT_IN_ABOUT[name] })),
  ],
  async run({ host, manifest, places, settings, workers }, input) {
    const { args, options } = input;
    const [material = '', ...files] = args;
    const isFollowing = options.follow === true;
    const rejected = textOption(options.rejected);
    await refuseImported(files, rejected);
    const sizes = isFollowing ? [] : await Promise.all(files.map((file) => input.sizeOf(file)));
    const geoip = textOption(options.geoip);
    if (geoip !== undefined) await input.sizeOf(geoip);
    const known = geoip === undefined ? places : createKnownPlaces({ dataDir: host.dataDir, geoip });
    const placeOf = await known.open().catch((error) => failJob(error, ImportError));
    const shared = {
      write: host.database.write,
      workers,
      manifest,
      material,
      site: textOption(options.site) ?? '',
      onError: options.onError === 'skip' ? 'skip' : 'stop',
      clock: host.clock,
      renamed: pairsOption('--map', options.map),
      constants: pairsOption('--set', options.set),
      optIns: new Set(OPT_INS.filter((name) => options[optionKey(`enable-${name}`)] === true)),
      format: formatOption(textOption(options.format), manifest),
      timezone: textOption(options.timezone),
      sourceName: textOption(options.source),
      delimiter: textOption(options.delimiter),
      placeOf,
      onConflict: CONFLICT_RULES.find((rule) => rule === options.onConflict),
      undoableImports: settings.undoableImports,
      dryRun: options.dryRun === true ? { rows: PREVIEW_ROWS } : undefined,
    } satisfies SharedOptions;
    if (isFollowing)
      return follow(files, shared, input, {
        seconds: Number(options.every),
        onGap: options.onGap === 'stop' ? 'stop' : 'record',
        rejected,
        dataDir: host.dataDir,
        places: known,
        options: optionsText(material, options),
      });
    const reading = { sizes, rejected, dataDir: host.dataDir, isSeparate: options.eachFile === true };
    const gap = textOption(options.gap);
    if (gap === undefined)
      return importFiles(files, shared, input, { ...reading, open: input.openFile }).catch(
        async (error: unknown) => {
          const hint = await hintOf(files, shared, input);
          if (hint !== undefined && error instanceof JobFailed && error.cause instanceof ImportError)
            throw new JobFailed(`${error.message}\n${hint}`, { cause: error.cause });
          throw error;
        },
      );
    const { open, closes } = await gapFile(
      host,
      { site: shared.site, material, gap: Number(gap) },
      files,
      input,
    );
    await importFiles(files, { ...shared, alsoWrite: closes }, input, { ...reading, open });
  },
};

const START_BYTES = 65_536;

/** A hint on how to import a CSV file whose column names differ; undefined if they did not cause the error. */
async function hintOf(
  [file = '-', ...others]: readonly string[],
  { manifest, material, site, renamed, format }: SharedOptions,
  input: CommandInput,
): Promise<string | undefined> {
  const dataset = manifest.materials.get(material);
  const isNamed = format !== undefined || (renamed?.size ?? 0) > 0;
  if (isNamed || dataset === undefined) return undefined;
  // Standard input and pipes have been read, and a pipe may wait forever for another writer.
  if ((await input.sizeOf(file)) === undefined) return undefined;
  const { stream } = await input.openFile(file);
  const pieces: Buffer[] = [];
  for await (const piece of stream) {
    pieces.push(Buffer.from(piece));
    if (Buffer.concat(pieces).length >= START_BYTES) break;
  }
  // Unlike Buffer, drops a byte order mark.
  const text = completeRecords(new TextDecoder().decode(Buffer.concat(pieces)));
  const found = mapHint(manifest.formats, dataset, { name: file, text });
  if (found === undefined) return undefined;
  const line = importCommandLine(material, [file, ...others], { site, ...found });
  return `If this mapping is correct (- leaves a column out), run: ${line}`;
}

/** Options for following a log. They do not apply to importing a gap. */
const FOLLOW_OPTIONS = ['--follow', '--every', '--on-gap', '--gap', '--rejected'];
/** Options that may name a local file. */
const FILE_OPTIONS = ['--format', '--geoip'];

/** The dataset and the options for reading its rows, as typed. */
function optionsText(material: string, options: CommandInput['options']): string {
  const typed = (importCommand.options ?? []).flatMap(({ flags, fallback }) => {
    const [flag = ''] = flags.split(' ');
    const value = options[optionKey(flag.slice(2))];
    if (FOLLOW_OPTIONS.includes(flag) || value === undefined || value === false || value === fallback)
      return [];
    if (value === true) return [flag];
    return [flag, FILE_OPTIONS.includes(flag) && existsSync(value) ? resolve(value) : value];
  });
  return [material, ...typed].map(shellWord).join(' ');
}

/** `enable-http-errors` -> `enableHttpErrors`. */
const optionKey = (name: string): string =>
  name.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());

/** The format in a YAML file, or the name of a format. */
function formatOption(text: string | undefined, manifest: Manifest): string | SourceFormat | undefined {
  if (text === undefined || !/\.ya?ml$/i.test(text)) return text;
  try {
    return readFormat(text, manifest.formats, manifest.materials);
  } catch (error) {
    if (error instanceof ManifestError) throw new WrongUsage(error.message);
    throw error;
  }
}

function pairsOption(flag: string, text: string | boolean | undefined): ReadonlyMap<string, string> {
  if (typeof text !== 'string') return new Map();
  try {
    return readPairs(text);
  } catch (error) {
    if (error instanceof RangeError) throw new WrongUsage(`${flag} ${error.message}`);
    throw error;
  }
}
