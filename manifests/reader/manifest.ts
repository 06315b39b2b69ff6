import { join } from 'node:path';
import { type Channels, loadChannels } from './channels';
import { loadFormats, type SourceFormat } from './formats';
import { deepFreeze, frozenMap } from './freeze';
import { ManifestError, readYaml, readYamlFolder } from './read-yaml';
import {
  allColumns,
  allKeys,
  type ColumnDefinition,
  type ContractFile,
  type CountedField,
  contractFileSchema,
  countedFields,
  type DimensionDefinition,
  type FeatureDefinition,
  type MaterialsFile,
  materialsFileSchema,
  type StorageFile,
  type StoredColumn,
  storageFileSchema,
} from './schema';

/** A column's public description and the source of its value. */
export interface Column extends Readonly<ColumnDefinition>, Readonly<StoredColumn> {
  readonly name: string;
  /** Maps words to numbers. */
  readonly words?: Readonly<Record<string, number>> | undefined;
  /** The parameter name in an observed event; never set in a manifest file. */
  readonly param?: string;
}

/** The time of a row. `field` exists even if a contract hides the column. */
export interface MaterialTime {
  readonly column: string;
  readonly field: string;
  readonly grain: 'instant' | 'day';
  /** The span of time that a row covers. A month is stored as its first day. */
  readonly period: 'instant' | 'day' | 'month';
}

export interface Material {
  readonly name: string;
  /** The name in the manifest, which differs for families and for materials that a contract renames. */
  readonly kind: string;
  readonly onePer?: 'goal' | 'event' | undefined;
  readonly hidden: boolean;
  /** Whether the rows are about the installation. They have no data version and are only in the administrators' manifest. */
  readonly administratorsOnly: boolean;
  readonly row: string;
  readonly supportsAll: boolean;
  readonly since: string;
  readonly feature?: string | undefined;
  /** Absent if each row covers the whole queried period. */
  readonly time?: MaterialTime | undefined;
  /** Whether its rows are exempt from the queried period on the joined side. */
  readonly joinedAlways: boolean;
  /** The order of rows without a sort clause. Adding the stored field `rowId` makes it a total order. */
  readonly order: readonly string[];
  /** The table in the analytics schema; absent if rows are computed over the queried period. */
  readonly table?: string | undefined;
  readonly rowId?: string | undefined;
  readonly key?: readonly string[] | undefined;
  /** The field that alone identifies a row of a site. */
  readonly unique?: string | undefined;
  /** Every row belongs to the parent material's row with the same key. `time` and `copied` are fields with copies of its values. */
  readonly parent?: StorageFile['materials'][string]['parent'];
  /** How many rows on the other side a row may match, by key column. */
  readonly join: ReadonlyMap<string, 'one' | 'many'>;
  /** The dimension that the ids in each stored field belong to. */
  readonly keys: ReadonlyMap<string, string>;
  /** The distinct values that are counted in advance. */
  readonly uniqueCounts: readonly CountedField[];
  readonly columns: ReadonlyMap<string, Column>;
  /** Additional columns of imported files, which queries cannot use. */
  readonly importColumns: readonly Column[];
}

export interface Dimension {
  readonly name: string;
  /** Whether ids are unique only within a site. */
  readonly scope: 'site' | 'shared';
  /** The table in the analytics schema, and its id field. */
  readonly table: string;
  readonly id: string;
  readonly fields: readonly string[];
  readonly unique?: string | undefined;
  /** Whether the text_key field holds the hash of the text values. */
  readonly hasTextKey: boolean;
  /** Whether all page views of a session usually have the same id. */
  readonly sessionConstant: boolean;
}

export interface Contract {
  readonly version: string;
  /** `all`, or the columns of each material in this contract. */
  readonly knows: 'all' | ReadonlyMap<string, readonly string[]>;
  /** Maps the names of materials under this contract to those in the manifest. */
  readonly standsFor: ReadonlyMap<string, string>;
  readonly publishesAvailability: boolean;
  readonly request: ContractFile['request'];
  readonly limits: Readonly<ContractFile['limits']>;
  readonly features: ReadonlyMap<string, Readonly<FeatureDefinition>>;
}

export interface Manifest {
  readonly materials: ReadonlyMap<string, Material>;
  readonly dimensions: ReadonlyMap<string, Dimension>;
  /** The table with one row for each goal and each session that converted on it. */
  readonly conversionTable: string;
  readonly channels: Channels;
  /** By version, oldest first. */
  readonly contracts: ReadonlyMap<string, Contract>;
  readonly formats: ReadonlyMap<string, SourceFormat>;
}

/** For all users. `forAdministrators` also has the materials that only administrators may query. */
export interface LoadedManifest extends Manifest {
  readonly forAdministrators: Manifest;
}

/** The folder of the shipped manifests, in the sources and in the build. */
export const MANIFEST_DIRECTORY = join(__dirname, '..');
export const MATERIALS_FILE = 'materials.yaml';
export const STORAGE_FILE = 'storage.yaml';
export const CONTRACTS_FOLDER = 'contracts';

let shipped: LoadedManifest | undefined;

/** The shipped manifests, cached, or those in a folder. Throws a ManifestError with every error in a file. */
export function loadManifest(directory?: string): LoadedManifest {
  if (directory !== undefined) return readManifest(directory);
  shipped ??= readManifest(MANIFEST_DIRECTORY);
  return shipped;
}

/** The files of a manifest, each with the right shape. The tests check that they agree with each other. */
export function readManifestFiles(directory: string) {
  const materials = readYaml(MATERIALS_FILE, materialsFileSchema, directory);
  const storage = readYaml(STORAGE_FILE, storageFileSchema, directory);
  // The names of these files are dates, so the oldest contract comes first.
  const contracts = readYamlFolder(directory, CONTRACTS_FOLDER, contractFileSchema);
  if (contracts.length === 0)
    throw new ManifestError(CONTRACTS_FOLDER, [
      { path: 'the folder', message: 'has no contract; it needs at least one <date>.yaml' },
    ]);
  return { materials, storage, contracts };
}

function readManifest(directory: string): LoadedManifest {
  const { materials, storage, contracts } = readManifestFiles(directory);
  const all = Object.keys(materials.materials).map((name) => materialFrom(name, materials, storage));
  const byName = (some: readonly Material[]) => frozenMap(some.map((it) => [it.name, it]));
  const manifest: Manifest = {
    materials: byName(all.filter(({ administratorsOnly }) => !administratorsOnly)),
    dimensions: frozenMap(
      Object.entries(storage.dimensions).map(([name, it]) => [name, dimensionFrom(name, it)]),
    ),
    conversionTable: storage.conversions,
    channels: loadChannels(directory),
    contracts: frozenMap(contracts.map(({ file }) => [file.version, contractFrom(file)])),
    formats: loadFormats(directory, byName(all)),
  };
  const forAdministrators = Object.freeze({ ...manifest, materials: byName(all) });
  return Object.freeze({ ...manifest, forAdministrators });
}

function materialFrom(name: string, materials: MaterialsFile, storage: StorageFile): Material {
  const it = required(materials.materials[name]);
  const stored = required(storage.materials[name]);
  const like = it.like === undefined ? undefined : materials.materials[it.like];
  const source = { ...(it.like !== undefined && storage.materials[it.like]?.columns), ...stored.columns };
  const columns = Object.entries(allColumns(it, materials.materials)).map(
    ([column, about]): [string, Column] => {
      const decoder = it.decoders[column] ?? like?.decoders[column];
      const { import: imported, ...rest } = about;
      // In imported files, only the material that defines a column can have it, not those that inherit it.
      const isOwn = it.columns[column] !== undefined;
      return [
        column,
        {
          name: column,
          ...rest,
          ...source[column],
          ...(isOwn && { import: imported }),
          ...(decoder && { words: wordsOf(decoder) }),
        },
      ];
    },
  );
  const key = stored.key ?? (stored.row_id === undefined ? undefined : [stored.row_id]);
  return {
    name,
    kind: name,
    onePer: it.one_per,
    hidden: it.hidden ?? false,
    administratorsOnly: it.administrators_only ?? false,
    row: it.row,
    supportsAll: it.supports_all,
    since: it.since,
    feature: it.feature,
    time: it.time && {
      ...it.time,
      field: source[it.time.column]?.field ?? it.time.column,
      period: stored.row_period ?? it.time.grain,
    },
    joinedAlways: it.joined === 'always',
    order: it.order,
    table: stored.table,
    rowId: stored.row_id,
    key,
    unique: key?.length === 1 ? key[0] : undefined,
    parent: stored.parent,
    join: frozenMap(Object.entries(it.join)),
    keys: frozenMap(Object.entries(allKeys(name, it, storage))),
    uniqueCounts: countedFields(stored),
    columns: frozenMap(columns),
    importColumns: Object.entries(it.import_columns ?? {}).map(([column, rest]) => ({
      name: column,
      ...rest,
    })),
  };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('A material must be in materials.yaml and in storage.yaml.');
  return value;
}

const wordsOf = (decoder: Readonly<Record<string, string>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(decoder).map(([number, word]) => [word, Number(number)]));

const dimensionFrom = (
  name: string,
  { text_key: hasTextKey, session_constant: sessionConstant, ...rest }: DimensionDefinition,
): Dimension => ({ name, ...rest, hasTextKey, sessionConstant });

function contractFrom(it: ContractFile): Contract {
  return {
    version: it.version,
    knows: it.knows === 'all' ? 'all' : frozenMap(Object.entries(it.knows)),
    standsFor: frozenMap(Object.entries(it.stands_for)),
    publishesAvailability: it.publishes_availability,
    request: deepFreeze(it.request),
    limits: it.limits,
    features: frozenMap(Object.entries(it.features)),
  };
}
