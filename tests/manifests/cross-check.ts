// Checks what the schemas of the manifest files cannot express, such as that every name in a file exists there or in the other files.
import { MATERIALS_FILE, readManifestFiles, STORAGE_FILE } from '../../manifests/reader/manifest';
import { type ManifestFault, stopOnFaults } from '../../manifests/reader/read-yaml';
import {
  allColumns,
  allKeys,
  type ColumnDefinition,
  type ContractFile,
  type MaterialDefinition,
  type MaterialsFile,
  type StorageFile,
  type StoredColumn,
  type StoredMaterial,
} from '../../manifests/reader/schema';

type Report = (path: string, message: string) => void;

/** Throws a ManifestError with every error in the first faulty file. */
export function checkManifest(directory: string): void {
  const { materials, storage, contracts } = readManifestFiles(directory);
  const features = new Set(contracts.flatMap(({ file }) => Object.keys(file.features)));
  stopOnFaults(MATERIALS_FILE, checkMaterials(materials, storage, features));
  stopOnFaults(STORAGE_FILE, checkStorage(storage, materials));
  for (const { name, label, file } of contracts) stopOnFaults(label, checkContract(file, name, materials));
}

function checkMaterials(
  { materials }: MaterialsFile,
  storage: StorageFile,
  features: ReadonlySet<string>,
): readonly ManifestFault[] {
  return collectFaults((report) => {
    for (const [name, material] of Object.entries(materials)) {
      const path = `materials.${name}`;
      const stored = storage.materials[name];
      if (stored === undefined) report(path, 'is missing from storage.yaml');
      checkMaterial(path, material, materials, report);
      if (material.feature !== undefined)
        mustBe(material.feature, [...features], `${path}.feature`, 'a feature of a contract', report);
      for (const [columnName, column] of Object.entries(material.columns)) {
        const place = `${path}.columns.${columnName}`;
        checkFeature(place, column, features, report);
        checkRange(place, column, stored?.columns[columnName], report);
      }
    }
  });
}

function checkStorage(storage: StorageFile, { materials }: MaterialsFile): readonly ManifestFault[] {
  return collectFaults((report) => {
    for (const [name, { unique, fields }] of Object.entries(storage.dimensions)) {
      if (unique !== undefined && !fields.includes(unique))
        report(`dimensions.${name}.unique`, `'${unique}' is not among its fields: ${list(fields)}`);
    }
    for (const [name, stored] of Object.entries(storage.materials)) {
      const path = `materials.${name}`;
      const material = materials[name];
      if (material === undefined) {
        report(path, `is not a material; the materials are ${list(Object.keys(materials))}`);
        continue;
      }
      checkTable(path, stored, material, materials, report);
      const keys = allKeys(name, material, storage);
      for (const [key, dimension] of Object.entries(stored.keys)) {
        mustBe(dimension, Object.keys(storage.dimensions), `${path}.keys.${key}`, 'a dimension', report);
      }
      for (const [field, counted] of Object.entries(stored.unique_counts)) {
        const place = `${path}.unique_counts.${field}`;
        mustBe(field, Object.keys(material.columns), place, 'a column of the material', report);
        for (const key of counted.flat())
          mustBe(key, Object.keys(keys), place, 'a key of the material', report);
      }
      for (const [field, counted] of Object.entries(stored.repeat_counts)) {
        const place = `${path}.repeat_counts.${field}`;
        for (const column of [field, counted.in])
          mustBe(column, Object.keys(material.columns), place, 'a column of the material', report);
        for (const key of counted.keys.flat())
          mustBe(key, Object.keys(keys), place, 'a key of the material', report);
      }
      for (const [columnName, source] of Object.entries(stored.columns)) {
        const place = `${path}.columns.${columnName}`;
        const column = material.columns[columnName];
        if (column === undefined) {
          mustBe(columnName, Object.keys(material.columns), place, 'a column of the material', report);
          continue;
        }
        checkSource(place, column, source, material, report);
        if (source.via === undefined) continue;
        mustBe(source.via, Object.keys(keys), `${place}.via`, 'a key of the material', report);
        const dimension = keys[source.via] ?? '';
        const stored = storage.dimensions[dimension];
        if (stored === undefined) continue;
        const fields = [...stored.fields, ...stored.generated];
        const fieldPlace = source.field === undefined ? place : `${place}.field`;
        mustBe(source.field ?? columnName, fields, fieldPlace, `a field of dimension ${dimension}`, report);
      }
    }
  });
}

function checkContract(
  contract: ContractFile,
  fileName: string,
  { materials }: MaterialsFile,
): readonly ManifestFault[] {
  return collectFaults((report) => {
    if (contract.version !== fileName)
      report(
        'version',
        `is '${contract.version}', but the file is called ${fileName}.yaml; both must be the same date`,
      );
    for (const [name, columns] of Object.entries(contract.knows === 'all' ? {} : contract.knows)) {
      const meant = contract.stands_for[name] ?? name;
      const material = materials[meant];
      if (material === undefined) {
        report(`knows.${name}`, `is not a material; the materials are ${list(Object.keys(materials))}`);
        continue;
      }
      for (const [index, column] of columns.entries()) {
        const place = `knows.${name}[${index}]`;
        mustBe(column, Object.keys(material.columns), place, `a column of ${meant}`, report);
      }
    }
    for (const [name, meant] of Object.entries(contract.stands_for)) {
      mustBe(meant, Object.keys(materials), `stands_for.${name}`, 'a material', report);
    }
    for (const [name, { enabled, since }] of Object.entries(contract.features)) {
      const place = `features.${name}.since`;
      if (enabled && since === undefined) report(place, 'is missing; an enabled feature needs a date');
      if (!enabled && since !== undefined) report(place, 'must be left out while the feature is disabled');
    }
    if (contract.limits.default_rows > contract.limits.max_rows)
      report('limits.default_rows', `must not exceed max_rows, which is ${contract.limits.max_rows}`);
  });
}

function collectFaults(check: (report: Report) => void): readonly ManifestFault[] {
  const faults: ManifestFault[] = [];
  check((path, message) => faults.push({ path, message }));
  return faults;
}

function checkMaterial(
  path: string,
  material: MaterialDefinition,
  materials: MaterialsFile['materials'],
  report: Report,
): void {
  const { like, time } = material;
  if (like !== undefined) mustBe(like, Object.keys(materials), `${path}.like`, 'a material', report);
  const all = allColumns(material, materials);
  const mustBeColumn = (name: string, place: string): void =>
    mustBe(name, Object.keys(all), `${path}.${place}`, 'a column of the material', report);
  if (time !== undefined) {
    mustBeColumn(time.column, 'time.column');
    const needed = time.grain === 'instant' ? 'datetime' : 'date';
    const type = all[time.column]?.type ?? needed;
    if (type !== needed)
      report(`${path}.time`, `grain '${time.grain}' needs a column of type ${needed}, not ${type}`);
  }
  for (const [index, name] of material.order.entries()) mustBeColumn(name, `order[${index}]`);
  for (const name of Object.keys(material.join)) mustBeColumn(name, `join.${name}`);
  for (const name of Object.keys(material.decoders)) mustBeColumn(name, `decoders.${name}`);
}

function checkFeature(
  path: string,
  { feature, since }: ColumnDefinition,
  features: ReadonlySet<string>,
  report: Report,
): void {
  if (feature === undefined) return;
  mustBe(feature, [...features], `${path}.feature`, 'a feature of a contract', report);
  if (since === undefined) report(`${path}.since`, 'is missing; a column with a feature needs a date');
}

function checkRange(
  path: string,
  { type, min, max, values, import: imported }: ColumnDefinition,
  { part, word_of, goal, bit }: StoredColumn = {},
  report: Report,
): void {
  if (min !== undefined && max !== undefined && min > max)
    report(`${path}.min`, `${min} is above max ${max}`);
  if (values !== undefined && type !== 'text')
    report(`${path}.values`, `lists text values, but the type is ${type}`);
  if (imported !== undefined && (part ?? word_of ?? goal ?? bit) !== undefined)
    report(`${path}.import`, 'is only for stored columns; this one is computed');
}

function checkTable(
  path: string,
  { table, parent }: StoredMaterial,
  { time, join }: MaterialDefinition,
  materials: MaterialsFile['materials'],
  report: Report,
): void {
  if (table === undefined && time !== undefined)
    report(`${path}.table`, 'is missing; only a material without a time has no table');
  if (table !== undefined && time === undefined)
    report(`${path}.table`, 'must be left out; a material without a time is computed');
  if (parent === undefined) return;
  mustBe(parent.material, Object.keys(materials), `${path}.parent.material`, 'a material', report);
  mustBe(parent.key, Object.keys(join), `${path}.parent.key`, 'a join key', report);
}

function checkSource(
  path: string,
  { type }: ColumnDefinition,
  source: StoredColumn,
  { time, decoders }: MaterialDefinition,
  report: Report,
): void {
  const sources = (['via', 'part', 'computed', 'goal', 'word_of'] as const).filter(
    (key) => source[key] !== undefined,
  );
  if (sources.length > 1) report(path, `has ${list(sources)}; a value comes from only one of them`);
  if (source.field !== undefined && sources.some((key) => key !== 'via'))
    report(`${path}.field`, `is used alone or with via, not with ${list(sources)}`);
  if (source.bit !== undefined && type !== 'flag')
    report(`${path}.bit`, `is for flags, but the type is ${type}`);
  if (source.part !== undefined && time === undefined) report(`${path}.part`, 'needs a material with a time');
  if (source.part === 'hour' && time?.grain === 'day')
    report(`${path}.part`, "'hour' needs a material with grain instant; this one has days");
  if (source.per !== undefined && type !== 'num')
    report(`${path}.per`, `is for type num, but the type is ${type}`);
  if (source.word_of !== undefined)
    mustBe(source.word_of, Object.keys(decoders), `${path}.word_of`, 'a column with a decoder', report);
}

function mustBe(name: string, known: readonly string[], path: string, what: string, report: Report): void {
  if (!known.includes(name)) report(path, `'${name}' is not ${what}; known: ${list(known)}`);
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}
