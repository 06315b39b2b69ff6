// POST import-columns: what the columns of a file are imported as, and everything that is wrong with its first rows. Nothing is
// stored.
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { HostRequest, HostResponse, HostUser } from '../../host-shim/extension-api';
import { fileColumns, RAW_VIEW_COLUMNS } from '../../manifests/reader/import-columns';
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
  completeRecords,
  mapOf,
  type SuggestedColumn,
  suggestColumns,
} from '../data/import/suggest-columns';
import type { Site } from '../data/storage/sites/list-sites';
import { parsedJson } from '../language/types/json';
import { noSuchSite, type PageRoute, refuse, siteOf } from './page-route';
import type { ColumnFault, FileColumns } from './shared-types/file-columns';

const MAX_START_LENGTH = 100_000;

const input = z.strictObject({
  site: z.string().describe('Tracking id of the site.'),
  dataset: z.string().describe('Dataset that the rows belong to.'),
  file: z.string().max(200).describe('Name of the file.'),
  start: z.string().max(MAX_START_LENGTH).describe('Beginning of the file.'),
  isWhole: z.boolean().describe('Whether `start` is the whole file.'),
  format: z.string().max(2_000).default('').describe('Format of the file; detected by default.'),
  timezone: z.string().max(100).default('').describe('Time zone of times without an offset.'),
  columns: z
    .array(z.strictObject({ name: z.string().max(1_000), to: z.string().max(100) }))
    .max(1_000)
    .optional()
    .describe('What the columns are imported as; guessed by default.'),
});
type Input = z.output<typeof input>;

export const importColumnsRoute = (analytics: Analytics): PageRoute => ({
  path: '/import-columns',
  methods: ['POST'],
  summary: 'What the columns of a file are imported as; nothing is imported.',
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
  const requested = read.data;
  const site = await siteOf(analytics.host, user, requested.site);
  if (site === undefined) return noSuchSite(requested.site);
  try {
    const { material } = findLoader(analytics.manifest, requested.dataset);
    return { status: 200, body: await describe(analytics, signal, material, site, requested) };
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
  requested: Input,
): Promise<FileColumns> {
  const text = requested.isWhole ? requested.start : completeRecords(requested.start);
  const suggested =
    requested.format === ''
      ? suggestColumns(analytics.manifest.formats, material, { name: requested.file, text })
      : undefined;
  const columns = suggested?.columns && chosenColumns(suggested.columns, requested.columns);
  const format = suggested?.format.name ?? requested.format;
  const delimiter = suggested?.delimiter;
  const map = columns === undefined ? '' : mapOf(columns);
  const wrongColumns = columns === undefined ? [] : columnFaults(material, columns);
  const known = suggested?.format ?? analytics.manifest.formats.get(requested.format);
  const isLocal = known !== undefined && 'timezone' in known && known.timezone === 'ask';
  const { timezone, isOfSite, rejected } =
    wrongColumns.length > 0
      ? { timezone: requested.timezone, isOfSite: false, rejected: [] }
      : await tryZones(requested.timezone, site.timezone, isLocal, (zone) =>
          tryRows(analytics, { signal, site, requested, text, map, timezone: zone, delimiter }),
        );
  return {
    format,
    about: suggested?.format.about ?? '',
    ...(delimiter !== undefined && { delimiter }),
    ...(columns && { columns, targets: targetsOf(material), map }),
    ...(isOfSite && { timezone }),
    faults: [...wrongColumns.map((message) => ({ message })), ...inGroups(rejected)],
    command: importCommandLine(requested.dataset, [requested.file], {
      site: site.trackingId,
      map,
      delimiter,
      timezone,
      format: requested.format,
    }),
  };
}

/** Tries the rows in the zone that the user named or, without one, in the site's zone if times have no offset. */
async function tryZones(
  requestedZone: string,
  siteZone: string,
  isLocal: boolean,
  tryWith: (zone: string) => Promise<readonly Rejection[]>,
) {
  if (requestedZone !== '' || !isLocal) {
    const rejected = await tryWith(requestedZone);
    if (requestedZone !== '' || !rejected.some(({ reason }) => reason === NO_OFFSET))
      return { timezone: requestedZone, isOfSite: false, rejected };
  }
  return { timezone: siteZone, isOfSite: true, rejected: await tryWith(siteZone) };
}

/** The guesses, overridden by the user's choices. */
function chosenColumns(
  guessed: readonly SuggestedColumn[],
  chosen: Input['columns'] = [],
): readonly SuggestedColumn[] {
  // Several columns may have the same name.
  const choices = Map.groupBy(chosen, ({ name }) => name);
  return guessed.map((column) => ({ ...column, to: choices.get(column.name)?.shift()?.to ?? column.to }));
}

function targetsOf(material: Material): NonNullable<FileColumns['targets']> {
  const about = new Map(
    [...material.columns.values(), ...material.importColumns].map((column) => [column.name, column.about]),
  );
  return [
    { value: LEFT_OUT, label: 'Leave out' },
    ...fileColumns(material)
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
  readonly requested: Input;
  readonly text: string;
  readonly map: string;
  readonly timezone: string;
  readonly delimiter: string | undefined;
}

/** The rows in the sample that an import would reject. */
async function tryRows(
  { host, manifest }: Pick<Analytics, 'host' | 'manifest'>,
  { signal, site, requested, text, map, timezone, delimiter }: Trial,
): Promise<readonly Rejection[]> {
  const rejected: Rejection[] = [];
  await importFile({
    write: host.database.write,
    clock: host.clock,
    manifest,
    signal,
    material: requested.dataset,
    site: site.trackingId,
    input: Readable.from([Buffer.from(text)]),
    source: requested.file,
    fileName: requested.file,
    onError: 'skip',
    limits: SERVER_IMPORT_LIMITS,
    dryRun: { rows: 0 },
    ...(requested.format !== '' && { format: requested.format }),
    ...(delimiter !== undefined && { delimiter }),
    ...(map !== '' && { renamed: readPairs(map) }),
    ...(timezone !== '' && { timezone }),
    onRejected(row) {
      rejected.push(rejectionOf(row));
    },
  });
  return rejected;
}

/** One error for each combination of column and reason, the most frequent first. */
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
