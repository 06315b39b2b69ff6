// POST import-columns: what the columns of a file become, and everything that is wrong with it, from its first rows. Nothing is
// stored.
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { HostRequest, HostResponse, HostUser } from '../../host-shim/extension-api';
import { RAW_VIEW_COLUMNS } from '../../manifests/reader/formats';
import type { Material } from '../../manifests/reader/manifest';
import type { Analytics } from '../api/analytics';
import { importCommandLine } from '../data/import/command-line';
import { ImportError } from '../data/import/import-error';
import { type Rejection, rejectionOf } from '../data/import/import-record';
import { importFile } from '../data/import/import-together';
import { SERVER_IMPORT_LIMITS } from '../data/import/limits';
import { findLoader } from '../data/import/loaders';
import { NO_OFFSET } from '../data/import/parse-time';
import { LEFT_OUT, readPairs } from '../data/import/read-pairs';
import {
  columnFaults,
  columnsOfFiles,
  mapOf,
  type SuggestedColumn,
  suggestColumns,
  wholeRecords,
} from '../data/import/suggest-columns';
import type { Site } from '../data/storage/sites/list-sites';
import { parsedJson } from '../language/types/json';
import { noSuchSite, type PageRoute, refuse, siteOf } from './page-route';
import type { ColumnFault, FileColumns } from './shared-types/file-columns';

const LONGEST_START = 100_000;

const input = z.strictObject({
  site: z.string().describe('Tracking id of the site.'),
  dataset: z.string().describe('What the rows are.'),
  file: z.string().max(200).describe('Name of the file.'),
  start: z.string().max(LONGEST_START).describe('Its beginning.'),
  isWhole: z.boolean().describe('Whether that is all.'),
  format: z.string().max(2_000).default('').describe('Its format; detected by default.'),
  timezone: z.string().max(100).default('').describe('Time zone of times without an offset.'),
  columns: z
    .array(z.strictObject({ name: z.string().max(1_000), to: z.string().max(100) }))
    .max(1_000)
    .optional()
    .describe('What the columns become; guessed by default.'),
});
type Input = z.output<typeof input>;

export const importColumnsRoute = (analytics: Analytics): PageRoute => ({
  path: '/import-columns',
  methods: ['POST'],
  summary: 'What the columns of a file become, before it is imported.',
  input,
  capability: 'import',
  handle: (request, user) => answer(analytics, request, user),
});

async function answer(
  analytics: Analytics,
  { body, signal }: HostRequest,
  user: HostUser,
): Promise<HostResponse> {
  const read = input.safeParse(parsedJson(body));
  if (!read.success) return refuse(400, 'The body must describe a file.');
  const asked = read.data;
  const site = await siteOf(analytics.host, user, asked.site);
  if (site === undefined) return noSuchSite(asked.site);
  try {
    const { material } = findLoader(analytics.manifest, asked.dataset);
    return { status: 200, body: await describe(analytics, signal, material, site, asked) };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    const faults: readonly ColumnFault[] = [{ message: error.message }];
    return { status: 200, body: { format: null, faults } satisfies FileColumns };
  }
}

async function describe(
  analytics: Analytics,
  signal: AbortSignal,
  material: Material,
  site: Site,
  asked: Input,
): Promise<FileColumns> {
  const text = asked.isWhole ? asked.start : wholeRecords(asked.start);
  const suggested =
    asked.format === ''
      ? suggestColumns(analytics.manifest.formats, material, { name: asked.file, text })
      : undefined;
  const columns = suggested?.columns && chosenColumns(suggested.columns, asked.columns);
  const format = suggested?.format.name ?? asked.format;
  const delimiter = suggested?.delimiter;
  const map = columns === undefined ? '' : mapOf(columns);
  const wrongColumns = columns === undefined ? [] : columnFaults(material, columns);
  const known = suggested?.format ?? analytics.manifest.formats.get(asked.format);
  const isLocal = known !== undefined && 'timezone' in known && known.timezone === 'ask';
  const { timezone, isOfSite, rejected } =
    wrongColumns.length > 0
      ? { timezone: asked.timezone, isOfSite: false, rejected: [] }
      : await tryZones(asked.timezone, site.timezone, isLocal, (zone) =>
          tryRows(analytics, { signal, site, asked, text, map, timezone: zone, delimiter }),
        );
  return {
    format,
    about: suggested?.format.about ?? '',
    ...(delimiter !== undefined && { delimiter }),
    ...(columns && { columns, targets: targetsOf(material), map }),
    ...(isOfSite && { timezone }),
    faults: [...wrongColumns.map((message) => ({ message })), ...inGroups(rejected)],
    command: importCommandLine(asked.dataset, [asked.file], {
      site: site.trackingId,
      map,
      delimiter,
      timezone,
      format: asked.format,
    }),
  };
}

/** Tries the rows in the zone that the user named or, without one, in the site's zone if times have no offset. */
async function tryZones(
  named: string,
  ofSite: string,
  isLocal: boolean,
  tryWith: (zone: string) => Promise<readonly Rejection[]>,
) {
  if (named !== '' || !isLocal) {
    const rejected = await tryWith(named);
    if (named !== '' || !rejected.some(({ reason }) => reason === NO_OFFSET))
      return { timezone: named, isOfSite: false, rejected };
  }
  return { timezone: ofSite, isOfSite: true, rejected: await tryWith(ofSite) };
}

/** The guesses, with what the user chose instead. */
function chosenColumns(
  guessed: readonly SuggestedColumn[],
  chosen: Input['columns'] = [],
): readonly SuggestedColumn[] {
  // Several columns may have one name.
  const choices = Map.groupBy(chosen, ({ name }) => name);
  return guessed.map((column) => ({ ...column, to: choices.get(column.name)?.shift()?.to ?? column.to }));
}

function targetsOf(material: Material): NonNullable<FileColumns['targets']> {
  const about = new Map(
    [...material.columns.values(), ...material.importColumns].map((column) => [column.name, column.about]),
  );
  return [
    { value: LEFT_OUT, label: 'Leave out' },
    ...columnsOfFiles(material)
      .map((name) => ({ value: name, label: name, about: about.get(name) ?? RAW_ABOUT[name] ?? '' }))
      .sort((one, other) => one.value.localeCompare(other.value)),
  ];
}

const RAW_ABOUT: Readonly<Record<string, string>> = Object.fromEntries(
  RAW_VIEW_COLUMNS.map((name) => [name, 'Other columns are derived from it; it is not stored.']),
);

interface Trial {
  readonly signal: AbortSignal;
  readonly site: Site;
  readonly asked: Input;
  readonly text: string;
  readonly map: string;
  readonly timezone: string;
  readonly delimiter: string | undefined;
}

/** The rows in the sample that an import would reject. */
async function tryRows(
  { host, manifest }: Pick<Analytics, 'host' | 'manifest'>,
  { signal, site, asked, text, map, timezone, delimiter }: Trial,
): Promise<readonly Rejection[]> {
  const rejected: Rejection[] = [];
  await importFile({
    write: host.database.write,
    clock: host.clock,
    manifest,
    signal,
    material: asked.dataset,
    site: site.trackingId,
    input: Readable.from([Buffer.from(text)]),
    source: asked.file,
    fileName: asked.file,
    onError: 'skip',
    limits: SERVER_IMPORT_LIMITS,
    dryRun: { rows: 0 },
    ...(asked.format !== '' && { format: asked.format }),
    ...(delimiter !== undefined && { delimiter }),
    ...(map !== '' && { renamed: readPairs(map) }),
    ...(timezone !== '' && { timezone }),
    onRejected(row) {
      rejected.push(rejectionOf(row));
    },
  });
  return rejected;
}

/** One fault for each reason in a column, most rows first. */
function inGroups(rejected: readonly Rejection[]): readonly ColumnFault[] {
  const groups = Map.groupBy(rejected, ({ column, reason }) => JSON.stringify([column, reason]));
  return [...groups.values()]
    .sort((one, other) => other.length - one.length)
    .flatMap((rows) => {
      const [first] = rows;
      if (first === undefined) return [];
      const { column, value, reason, line } = first;
      return [{ message: reason, column, value, line, rows: rows.length }];
    });
}
