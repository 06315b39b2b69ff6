import { type ColumnSource, type FormatFile, formatFileSchema, type MaterialRule } from './format-schema';
import { deepFreeze, frozenMap } from './freeze';
import { type FileMaterial, fileColumns } from './import-columns';
import { ManifestError, type ManifestFault, readYaml, readYamlFolder, stopOnFaults } from './read-yaml';

export const FORMATS_FOLDER = 'formats';

type RefusedFile = Extract<FormatFile, { refuse: string }>;
type LikeFile = Extract<FormatFile, { like: string }>;
type ReadableFile = Exclude<FormatFile, RefusedFile | LikeFile>;

export type ReadableFormat = {
  readonly name: string;
  /** Whether the user wrote the whole format. If so, every field that it names must be in the file. */
  readonly isOwn?: boolean;
} & Readonly<ReadableFile>;
/** A format that can be read, or a known one whose files cannot be imported. */
export type SourceFormat = ReadableFormat | ({ readonly name: string } & Readonly<RefusedFile>);

type Materials = ReadonlyMap<string, FileMaterial>;

/** Loads the shipped formats by name. Throws a ManifestError for the first invalid file. */
export function loadFormats(directory: string, materials: Materials): ReadonlyMap<string, SourceFormat> {
  const files = new Map(
    readYamlFolder(directory, FORMATS_FOLDER, formatFileSchema).map((one) => [one.name, one]),
  );
  const find = (name: string): SourceFormat | undefined => {
    const found = files.get(name);
    return found && completeFormat(name, found.label, found.file, find, materials);
  };
  const formats = [...files.keys()].map(find).filter((format) => format !== undefined);
  return frozenMap(formats.map((format) => [format.name, format]));
}

/** Reads a user's format, which may build on a shipped one. Throws a ManifestError if it is invalid. */
export function readFormat(
  path: string,
  shipped: ReadonlyMap<string, SourceFormat>,
  materials: Materials,
): SourceFormat {
  const file = readYaml(path, formatFileSchema);
  const format = completeFormat(path, path, file, (name) => shipped.get(name), materials);
  return { ...format, isOwn: !('like' in file) };
}

export const withPattern = (format: ReadableFormat, pattern: string): ReadableFormat => ({
  ...format,
  name: `log:${pattern}`,
  pattern,
});

function completeFormat(
  name: string,
  place: string,
  file: FormatFile,
  find: (name: string) => SourceFormat | undefined,
  materials: Materials,
): SourceFormat {
  if ('refuse' in file) return deepFreeze({ name, ...file });
  const whole = 'like' in file ? likeOther(file, place, find(file.like)) : file;
  stopOnFaults(place, formatFaults(whole, materials));
  return deepFreeze({ ...whole, name });
}

function likeOther(
  { like, skip, skip_lines, fields, materials, ...own }: LikeFile,
  place: string,
  other: SourceFormat | undefined,
): ReadableFile {
  if (other === undefined || 'refuse' in other)
    throw new ManifestError(place, [{ path: 'like', message: 'must name a format that can be imported' }]);
  const unknown = Object.keys(materials).filter((name) => other.materials[name] === undefined);
  stopOnFaults(
    place,
    unknown.map((name) => ({ path: `materials.${name}`, message: `is not a material of ${like}` })),
  );
  const { recognised: _recognised, pattern, ...shared } = other;
  const { layout = other.layout } = own;
  const whole: ReadableFile = {
    ...shared,
    ...(layout === 'log' && { pattern }),
    ...own,
    layout,
    skip: [...skip, ...other.skip],
    skip_lines: [...skip_lines, ...other.skip_lines],
    fields: { ...other.fields, ...fields },
    materials: Object.fromEntries(
      Object.entries(other.materials).map(([name, rule]) => [
        name,
        { ...rule, columns: { ...rule.columns, ...materials[name]?.columns } },
      ]),
    ),
  };
  const names = [...new Set([other, whole].flatMap(fieldsOfRules))].sort();
  stopOnFaults(
    place,
    Object.keys(fields)
      .filter((name) => !names.includes(name))
      .map((name) => ({
        path: `fields.${name}`,
        message: `is not a field of ${like}; its fields are ${names.join(', ')}`,
      })),
  );
  return whole;
}

function formatFaults(file: ReadableFile, materials: Materials): readonly ManifestFault[] {
  const faults = Object.entries(file.materials).flatMap(([name, rule]) =>
    materialFaults(name, rule, materials.get(name)),
  );
  if ((file.own_columns !== undefined) === Object.keys(file.materials).length > 0)
    faults.push({
      path: 'materials',
      message: 'must define how the records are imported, unless own_columns is set',
    });
  if ((file.layout === 'log') !== (file.pattern !== undefined))
    faults.push({ path: 'pattern', message: 'is required if the layout is log, and not allowed otherwise' });
  return faults;
}

const fieldsOf = (source: ColumnSource): readonly string[] => {
  if (typeof source === 'string') return [source];
  return 'value' in source ? [] : [source.from, source.when?.from ?? []].flat();
};

/** The fields that the rules of a format name. */
function fieldsOfRules({ skip, materials }: ReadableFile): readonly string[] {
  const rules = Object.values(materials);
  const conditions = [...skip, ...rules.flatMap((rule) => rule.skip)].map(({ where }) => where);
  return [
    ...[...conditions, ...rules.flatMap(({ where }) => where)].map(({ from }) => from),
    ...rules.flatMap(({ each, columns }) => [each ?? [], ...Object.values(columns).flatMap(fieldsOf)].flat()),
  ];
}

function materialFaults(
  name: string,
  rule: MaterialRule,
  material: FileMaterial | undefined,
): ManifestFault[] {
  const allowed = material === undefined ? [] : fileColumns(material);
  const path = `materials.${name}`;
  if (allowed.length === 0) return [{ path, message: 'is not a material that can be imported' }];
  return Object.keys(rule.columns)
    .filter((column) => !allowed.includes(column))
    .map((column) => ({
      path: `${path}.columns.${column}`,
      message: `is not an importable column; the importable columns are ${allowed.join(', ')}`,
    }));
}
