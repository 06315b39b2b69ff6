import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type FormatFile, formatFileSchema, type MaterialRule } from './format-schema';
import { deepFreeze, frozenMap } from './freeze';
import { ManifestError, type ManifestFault, readYaml, stopOnFaults } from './read-yaml';
import type { MaterialsFile } from './schema';

export const FORMATS_FOLDER = 'formats';

type RefusedFile = Extract<FormatFile, { refuse: string }>;
type ReadableFile = Extract<FormatFile, { materials: object }>;

export type ReadableFormat = {
  readonly name: string;
  /** Whether the format is the user's own. If so, every field that it names must be in the file. */
  readonly isOwn?: boolean;
} & Readonly<ReadableFile>;
/** A known format whose files cannot become rows. */
export type RefusedFormat = { readonly name: string } & Readonly<RefusedFile>;
export type SourceFormat = ReadableFormat | RefusedFormat;

/** Additional page-view fields that a file may contain. They are not stored, but other columns are derived from them. */
export const RAW_VIEW_COLUMNS = ['ip', 'user_agent'] as const;

/** Loads the shipped formats by name. Throws a ManifestError for the first invalid file. */
export function loadFormats(directory: string, materials: MaterialsFile): ReadonlyMap<string, SourceFormat> {
  const columns = importColumns(materials);
  const files = new Map(
    readdirSync(join(directory, FORMATS_FOLDER))
      .filter((name) => name.endsWith('.yaml'))
      .sort()
      .map((name) => [
        basename(name, '.yaml'),
        readYaml(join(directory, FORMATS_FOLDER, name), label(name), formatFileSchema),
      ]),
  );
  return frozenMap(
    [...files].map(([name, file]) => [
      name,
      completeFormat(name, label(`${name}.yaml`), file, (other) => files.get(other), columns),
    ]),
  );
}

/** Reads a user's format, which may be like a shipped one. Throws a ManifestError if it is invalid. */
export function readFormat(
  path: string,
  shipped: ReadonlyMap<string, SourceFormat>,
  columns: ImportColumns,
): SourceFormat {
  const file = readYaml(path, path, formatFileSchema);
  return { ...completeFormat(path, path, file, (name) => shipped.get(name), columns), isOwn: true };
}

export const withPattern = (format: ReadableFormat, pattern: string): ReadableFormat => ({
  ...format,
  name: `log:${pattern}`,
  pattern,
});

/** A material's columns by their names in files. Undefined if the material does not exist. */
type ImportColumns = (material: string) => readonly string[] | undefined;

function importColumns({ materials }: MaterialsFile): ImportColumns {
  return (name) => {
    const material = materials[name];
    return (
      material &&
      Object.entries({ ...material.columns, ...material.import_columns }).flatMap(([column, about]) =>
        about.import === undefined ? [] : [about.import_name ?? column],
      )
    );
  };
}

const label = (file: string): string => `${FORMATS_FOLDER}/${file}`;

function completeFormat(
  name: string,
  place: string,
  file: FormatFile,
  find: (name: string) => FormatFile | undefined,
  columns: ImportColumns,
): SourceFormat {
  if ('refuse' in file) return deepFreeze({ name, ...file });
  if (!('like' in file)) {
    stopOnFaults(place, formatFaults(file, columns));
    return deepFreeze({ name, ...file });
  }
  const { like, ...own } = file;
  const model = find(like);
  if (model === undefined || !('materials' in model) || model.layout !== 'log')
    throw new ManifestError(place, [{ path: 'like', message: 'must name a format whose layout is log' }]);
  if ('pattern' in own) return deepFreeze({ ...model, name, ...own });
  const { pattern: _ofLines, ...rest } = model;
  return deepFreeze({ ...rest, name, ...own });
}

function formatFaults(file: ReadableFile, columns: ImportColumns): readonly ManifestFault[] {
  const faults = Object.entries(file.materials).flatMap(([name, rule]) =>
    materialFaults(name, rule, columns),
  );
  if ((file.own_columns !== undefined) === Object.keys(file.materials).length > 0)
    faults.push({
      path: 'materials',
      message: 'must define what the records become, unless own_columns is set',
    });
  if ((file.layout === 'log') !== (file.pattern !== undefined))
    faults.push({ path: 'pattern', message: 'is required if the layout is log, and not allowed otherwise' });
  return faults;
}

function materialFaults(name: string, rule: MaterialRule, columns: ImportColumns): ManifestFault[] {
  const known = columns(name) ?? [];
  const path = `materials.${name}`;
  if (known.length === 0) return [{ path, message: 'is not a material that can be imported' }];
  const allowed = name === 'allpv' ? [...known, ...RAW_VIEW_COLUMNS] : known;
  return Object.keys(rule.columns)
    .filter((column) => !allowed.includes(column))
    .map((column) => ({
      path: `${path}.columns.${column}`,
      message: `is not an importable column; the importable columns are ${allowed.join(', ')}`,
    }));
}
