// Owns the manifest as the rest of the program sees it: types, and the one function that loads it.
// The YAML files in -> one frozen Manifest, cross-checked. Loading reads files: do it once, at the start.
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { checkContract, checkMaterials } from './cross-check';
import { ManifestError } from './errors';
import { deepFreeze, frozenMap } from './freeze';
import { readYaml } from './read-yaml';
import {
  type ColumnDefinition,
  type ContractFile,
  contractFileSchema,
  type FeatureDefinition,
  type MaterialDefinition,
  materialsFileSchema,
} from './schema';

export interface Column extends Readonly<ColumnDefinition> {
  readonly name: string;
}

export interface Material {
  readonly name: string;
  readonly row: string;
  readonly datasetId?: number;
  readonly supportsAll: boolean;
  readonly since: string;
  /** `field` is where the time of the row is stored; it is there even where a contract hides the column. */
  readonly time: { readonly column: string; readonly field: string; readonly grain: 'instant' | 'day' };
  /** The columns that give rows without a sort clause their order, the last one unique. */
  readonly order: readonly string[];
  /** Key column -> how many rows of the other side one row may meet. */
  readonly join: ReadonlyMap<string, 'one' | 'many'>;
  /** Field of the stored row -> the dictionary that it opens. */
  readonly keys: ReadonlyMap<string, string>;
  readonly columns: ReadonlyMap<string, Column>;
}

export interface Dictionary {
  readonly name: string;
  readonly about: string;
  readonly scope: 'site' | 'shared';
  readonly fields: readonly string[];
  readonly unique?: string;
}

export interface Contract {
  readonly version: string;
  /** `all`, or material -> the columns that this contract knows. */
  readonly knows: 'all' | ReadonlyMap<string, readonly string[]>;
  readonly request: ContractFile['request'];
  readonly limits: Readonly<ContractFile['limits']>;
  readonly features: ReadonlyMap<string, Readonly<FeatureDefinition>>;
}

export interface Manifest {
  readonly materials: ReadonlyMap<string, Material>;
  readonly dictionaries: ReadonlyMap<string, Dictionary>;
  /** By version, the oldest first. */
  readonly contracts: ReadonlyMap<string, Contract>;
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
  const versions = new Set(contracts.map((contract) => contract.file.version));
  stopOnFaults(MATERIALS_FILE, checkMaterials(file, features, versions));
  for (const { name, file: contract } of contracts) {
    stopOnFaults(name, checkContract(contract, basename(name, '.yaml'), file));
  }

  return Object.freeze({
    materials: frozenMap(Object.entries(file.materials).map(([name, it]) => [name, materialFrom(name, it)])),
    dictionaries: frozenMap(
      Object.entries(file.dictionaries).map(([name, it]) => [name, dictionaryFrom(name, it)]),
    ),
    contracts: frozenMap(contracts.map((contract) => [contract.file.version, contractFrom(contract.file)])),
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

function materialFrom(name: string, it: MaterialDefinition): Material {
  return {
    name,
    row: it.row,
    ...(it.dataset_id === undefined ? {} : { datasetId: it.dataset_id }),
    supportsAll: it.supports_all,
    since: it.since,
    time: { ...it.time, field: it.columns[it.time.column]?.field ?? it.time.column },
    order: it.order,
    join: frozenMap(Object.entries(it.join)),
    keys: frozenMap(Object.entries(it.keys)),
    columns: frozenMap(
      Object.entries(it.columns).map(([column, about]) => [column, { name: column, ...about }]),
    ),
  };
}

type DictionaryFile = (typeof materialsFileSchema)['_output']['dictionaries'][string];

function dictionaryFrom(name: string, it: DictionaryFile): Dictionary {
  const { unique, ...rest } = it;
  return { name, ...rest, ...(unique === undefined ? {} : { unique }) };
}

function contractFrom(it: ContractFile): Contract {
  return {
    version: it.version,
    knows: it.knows === 'all' ? 'all' : frozenMap(Object.entries(it.knows)),
    request: deepFreeze(it.request),
    limits: it.limits,
    features: frozenMap(Object.entries(it.features)),
  };
}
