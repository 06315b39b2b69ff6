// Owns the manifest as the rest of the program sees it: types, and the one function that loads it.
// The YAML files in -> one frozen Manifest, cross-checked. Loading reads files: do it once, at the start.
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { checkContract, checkMaterials } from './cross-check';
import { ManifestError } from './errors';
import { deepFreeze, frozenMap } from './freeze';
import { readYaml } from './read-yaml';
import { loadRollups, type Rollups } from './rollups';
import {
  type ColumnDefinition,
  type ContractFile,
  contractFileSchema,
  type FeatureDefinition,
  type MaterialDefinition,
  type MaterialsFile,
  materialsFileSchema,
} from './schema';

export interface Column extends Readonly<ColumnDefinition> {
  readonly name: string;
  /** What the numbers stand for: word -> number. */
  readonly words?: Readonly<Record<string, number>>;
  /** A parameter of the observed event: its name in the row. No manifest file has one. */
  readonly param?: string;
}

/** When a row of a material is: `field` is stored; it is there even where a contract hides the column. */
export interface MaterialTime {
  readonly column: string;
  readonly field: string;
  readonly grain: 'instant' | 'day';
}

export interface Material {
  /** What queries call it. */
  readonly name: string;
  /** What the manifest calls it: the same, but for families and for names that a contract gives. */
  readonly kind: string;
  readonly onePer?: 'goal' | 'event';
  readonly hidden: boolean;
  readonly row: string;
  readonly supportsAll: boolean;
  readonly since: string;
  /** The flag that must be on. */
  readonly feature?: string;
  /** Absent where the rows tell of the asked period as a whole. */
  readonly time?: MaterialTime;
  /** Whether its rows count at all times when it is the joined side. */
  readonly joinedAlways: boolean;
  /** The columns that give rows without a sort clause their order; with `rowId`, a stored field, a total one. */
  readonly order: readonly string[];
  readonly rowId?: string;
  /** A stored field that no two rows of a site share. */
  readonly unique?: string;
  /** Every row belongs to one row of that material with the same key, whose time is in the field `time` here. */
  readonly parent?: { readonly material: string; readonly key: string; readonly time: string };
  /** Key column -> how many rows of the other side one row may meet. */
  readonly join: ReadonlyMap<string, 'one' | 'many'>;
  /** Field of the stored row -> the dimension that it opens. */
  readonly keys: ReadonlyMap<string, string>;
  readonly columns: ReadonlyMap<string, Column>;
}

export interface Dimension {
  readonly name: string;
  readonly about: string;
  readonly scope: 'site' | 'shared';
  /** As a rule all views of a visit have the same id. */
  readonly ofVisit: boolean;
  readonly fields: readonly string[];
  readonly unique?: string;
}

export interface Contract {
  readonly version: string;
  /** `all`, or material -> the columns that this contract knows. */
  readonly knows: 'all' | ReadonlyMap<string, readonly string[]>;
  /** Name of a material under this contract -> the material of the manifest. */
  readonly standsFor: ReadonlyMap<string, string>;
  readonly request: ContractFile['request'];
  readonly limits: Readonly<ContractFile['limits']>;
  readonly features: ReadonlyMap<string, Readonly<FeatureDefinition>>;
}

export interface Manifest {
  readonly materials: ReadonlyMap<string, Material>;
  readonly dimensions: ReadonlyMap<string, Dimension>;
  /** By version, the oldest first. */
  readonly contracts: ReadonlyMap<string, Contract>;
  readonly rollups: Rollups;
}

/** The folder of the shipped manifests, in the sources and in the build alike. */
export const MANIFEST_DIRECTORY = join(__dirname, '..');
export const MATERIALS_FILE = 'materials.yaml';
export const CONTRACTS_FOLDER = 'contracts';

/** Loads and checks the manifests of a folder. Throws a ManifestError that lists every fault of a file. */
export function loadManifest(directory: string = MANIFEST_DIRECTORY): Manifest {
  const file = readYaml(join(directory, MATERIALS_FILE), MATERIALS_FILE, materialsFileSchema);
  const contracts = contractFiles(directory).map((name) => ({
    name,
    file: readYaml(join(directory, name), name, contractFileSchema),
  }));

  const features = new Set(contracts.flatMap((contract) => Object.keys(contract.file.features)));
  stopOnFaults(MATERIALS_FILE, checkMaterials(file, features));
  for (const { name, file: contract } of contracts) {
    stopOnFaults(name, checkContract(contract, basename(name, '.yaml'), file));
  }

  return Object.freeze({
    materials: frozenMap(
      Object.entries(file.materials).map(([name, it]) => [name, materialFrom(name, it, file)]),
    ),
    dimensions: frozenMap(
      Object.entries(file.dimensions).map(([name, it]) => [name, dimensionFrom(name, it)]),
    ),
    contracts: frozenMap(contracts.map((contract) => [contract.file.version, contractFrom(contract.file)])),
    rollups: loadRollups(directory),
  });
}

function contractFiles(directory: string): readonly string[] {
  const names = readdirSync(join(directory, CONTRACTS_FOLDER)).filter((name) => name.endsWith('.yaml'));
  if (names.length === 0) {
    throw new ManifestError(CONTRACTS_FOLDER, [
      { path: 'the folder', message: 'has no contract; it needs at least one <date>.yaml' },
    ]);
  }
  // Dates as file names: sorted by text is sorted by age.
  return names.sort().map((name) => `${CONTRACTS_FOLDER}/${name}`);
}

function stopOnFaults(file: string, faults: ConstructorParameters<typeof ManifestError>[1]): void {
  if (faults.length > 0) throw new ManifestError(file, faults);
}

function materialFrom(name: string, it: MaterialDefinition, file: MaterialsFile): Material {
  const like = it.like === undefined ? undefined : file.materials[it.like];
  const columns = { ...inherited(like), ...it.columns };
  const unique = it.unique ?? it.row_id;
  const time = it.time && { ...it.time, field: columns[it.time.column]?.field ?? it.time.column };
  return {
    name,
    kind: name,
    ...(it.one_per === undefined ? {} : { onePer: it.one_per }),
    hidden: it.hidden ?? false,
    row: it.row,
    supportsAll: it.supports_all,
    since: it.since,
    ...(it.feature === undefined ? {} : { feature: it.feature }),
    ...(time === undefined ? {} : { time }),
    joinedAlways: it.joined === 'always',
    order: it.order,
    ...(it.row_id === undefined ? {} : { rowId: it.row_id }),
    ...(unique === undefined ? {} : { unique }),
    ...(it.parent === undefined ? {} : { parent: it.parent }),
    join: frozenMap(Object.entries(it.join)),
    keys: frozenMap(Object.entries({ ...like?.keys, ...it.keys })),
    columns: frozenMap(
      Object.entries(columns).map(([column, about]) => {
        const decoder = it.decoders[column] ?? like?.decoders[column];
        return [column, { name: column, ...about, ...(decoder && { words: wordsOf(decoder) }) }];
      }),
    ),
  };
}

/** The columns of the material that another one is like; files bring them in that material alone. */
const inherited = (like: MaterialDefinition | undefined): MaterialDefinition['columns'] =>
  Object.fromEntries(
    Object.entries(like?.columns ?? {}).map(([name, { import: _imported, ...about }]) => [name, about]),
  );

const wordsOf = (decoder: Readonly<Record<string, string>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(decoder).map(([number, word]) => [word, Number(number)]));

type DimensionFile = (typeof materialsFileSchema)['_output']['dimensions'][string];

function dimensionFrom(name: string, it: DimensionFile): Dimension {
  const { unique, of_visit: ofVisit, ...rest } = it;
  return { name, ...rest, ofVisit, ...(unique === undefined ? {} : { unique }) };
}

function contractFrom(it: ContractFile): Contract {
  return {
    version: it.version,
    knows: it.knows === 'all' ? 'all' : frozenMap(Object.entries(it.knows)),
    standsFor: frozenMap(Object.entries(it.stands_for)),
    request: deepFreeze(it.request),
    limits: it.limits,
    features: frozenMap(Object.entries(it.features)),
  };
}
