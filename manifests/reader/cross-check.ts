// Owns the checks that a schema cannot make: that what the manifests name does exist.
// Parsed files in -> a list of faults, each with its place and what would be right; empty when all is well.
import type { ManifestFault } from './errors';
import type { ColumnDefinition, ContractFile, MaterialDefinition, MaterialsFile } from './schema';

type Report = (path: string, message: string) => void;

/** Checks materials and dimensions against each other and the features. */
export function checkMaterials(file: MaterialsFile, features: ReadonlySet<string>): readonly ManifestFault[] {
  const faults: ManifestFault[] = [];
  const report: Report = (path, message) => faults.push({ path, message });

  for (const [name, dimension] of Object.entries(file.dimensions)) {
    if (dimension.unique !== undefined && !dimension.fields.includes(dimension.unique)) {
      report(
        `dimensions.${name}.unique`,
        `'${dimension.unique}' is not among its fields: ${list(dimension.fields)}`,
      );
    }
  }
  for (const [name, material] of Object.entries(file.materials)) {
    const path = `materials.${name}`;
    checkMaterial(path, material, file, report);
    if (material.feature !== undefined) {
      mustBe(material.feature, [...features], `${path}.feature`, 'a feature of a contract', report);
    }
    for (const [columnName, column] of Object.entries(material.columns)) {
      const place = `${path}.columns.${columnName}`;
      checkSource(place, columnName, column, material, file, report);
      checkBirth(place, column, features, report);
      checkRange(place, column, report);
    }
  }
  return faults;
}

/** Checks one contract against its file name and the materials. */
export function checkContract(
  contract: ContractFile,
  fileName: string,
  file: MaterialsFile,
): readonly ManifestFault[] {
  const faults: ManifestFault[] = [];
  const report: Report = (path, message) => faults.push({ path, message });

  if (contract.version !== fileName) {
    report(
      'version',
      `is '${contract.version}', but the file is called ${fileName}.yaml; both must be the same date`,
    );
  }
  if (contract.knows !== 'all') {
    for (const [name, columns] of Object.entries(contract.knows)) {
      const material = file.materials[contract.stands_for[name] ?? name];
      if (material === undefined) {
        report(`knows.${name}`, `is no material; the materials are ${list(Object.keys(file.materials))}`);
        continue;
      }
      for (const [index, column] of columns.entries()) {
        mustBe(
          column,
          Object.keys(material.columns),
          `knows.${name}[${index}]`,
          `a column of ${contract.stands_for[name] ?? name}`,
          report,
        );
      }
    }
  }
  for (const [name, meant] of Object.entries(contract.stands_for)) {
    mustBe(meant, Object.keys(file.materials), `stands_for.${name}`, 'a material', report);
  }
  for (const [name, feature] of Object.entries(contract.features)) {
    if (feature.enabled && feature.since === undefined) {
      report(`features.${name}.since`, 'is missing; an enabled feature tells the date it came with');
    }
    if (!feature.enabled && feature.since !== undefined) {
      report(`features.${name}.since`, 'must be left out while the feature is disabled');
    }
  }
  if (contract.limits.default_rows > contract.limits.max_rows) {
    report('limits.default_rows', `must not be above max_rows, which is ${contract.limits.max_rows}`);
  }
  return faults;
}

function checkMaterial(
  path: string,
  material: MaterialDefinition,
  file: MaterialsFile,
  report: Report,
): void {
  if (material.like !== undefined) {
    mustBe(material.like, Object.keys(file.materials), `${path}.like`, 'a material', report);
  }
  const all = columnsOf(material, file);
  const columns = Object.keys(all);
  if (material.time !== undefined) {
    mustBe(material.time.column, columns, `${path}.time.column`, 'a column of the material', report);
    const time = all[material.time.column];
    const timeType = material.time.grain === 'instant' ? 'datetime' : 'date';
    if (time !== undefined && time.type !== timeType) {
      report(
        `${path}.time`,
        `grain '${material.time.grain}' needs a column of type ${timeType}, not ${time.type}`,
      );
    }
  }
  for (const [index, name] of material.order.entries()) {
    mustBe(name, columns, `${path}.order[${index}]`, 'a column of the material', report);
  }
  if (material.parent !== undefined) {
    mustBe(
      material.parent.material,
      Object.keys(file.materials),
      `${path}.parent.material`,
      'a material',
      report,
    );
    mustBe(material.parent.key, Object.keys(material.join), `${path}.parent.key`, 'a key for joins', report);
  }
  for (const name of Object.keys(material.join)) {
    mustBe(name, columns, `${path}.join.${name}`, 'a column of the material', report);
  }
  for (const name of Object.keys(material.decoders)) {
    mustBe(name, columns, `${path}.decoders.${name}`, 'a column of the material', report);
  }
  for (const [key, dimension] of Object.entries(material.keys)) {
    mustBe(dimension, Object.keys(file.dimensions), `${path}.keys.${key}`, 'a dimension', report);
  }
}

/** The columns of a material, those of the one that it is like included. */
const columnsOf = (material: MaterialDefinition, file: MaterialsFile): MaterialDefinition['columns'] => ({
  ...(material.like === undefined ? {} : file.materials[material.like]?.columns),
  ...material.columns,
});

/** Likewise the keys that open a dimension. */
const keysOf = (material: MaterialDefinition, file: MaterialsFile): MaterialDefinition['keys'] => ({
  ...(material.like === undefined ? {} : file.materials[material.like]?.keys),
  ...material.keys,
});

/** Where the value comes from: one way only, and all of it there. */
function checkSource(
  path: string,
  name: string,
  column: ColumnDefinition,
  material: MaterialDefinition,
  file: MaterialsFile,
  report: Report,
): void {
  const ways = (['via', 'part', 'made', 'goal', 'word_of'] as const).filter(
    (way) => column[way] !== undefined,
  );
  if (ways.length > 1) report(path, `has ${list(ways)}; a value comes from one of them only`);
  if (column.field !== undefined && ways.some((way) => way !== 'via')) {
    report(`${path}.field`, `goes alone or with via, not with ${list(ways)}`);
  }
  if (column.bit !== undefined && column.type !== 'flag') {
    report(`${path}.bit`, `makes a flag, but the type is ${column.type}`);
  }
  if (column.part !== undefined && material.time === undefined) {
    report(`${path}.part`, 'needs a material with a time of its own');
  }
  if (column.part === 'hour' && material.time?.grain === 'day') {
    report(`${path}.part`, `'hour' needs a material with grain instant; this one has days`);
  }
  if (column.per !== undefined && column.type !== 'num') {
    report(`${path}.per`, `makes a num, but the type is ${column.type}`);
  }
  if (column.word_of !== undefined) {
    mustBe(
      column.word_of,
      Object.keys(material.decoders),
      `${path}.word_of`,
      'a column with a decoder',
      report,
    );
  }
  if (column.via === undefined) return;

  const keys = keysOf(material, file);
  mustBe(column.via, Object.keys(keys), `${path}.via`, `a key of the material`, report);
  const dimensionName = keys[column.via];
  const dimension = dimensionName === undefined ? undefined : file.dimensions[dimensionName];
  if (dimension === undefined) return;
  const place = column.field === undefined ? path : `${path}.field`;
  mustBe(column.field ?? name, dimension.fields, place, `a field of dimension ${dimensionName}`, report);
}

function checkBirth(
  path: string,
  column: ColumnDefinition,
  features: ReadonlySet<string>,
  report: Report,
): void {
  if (column.feature !== undefined) {
    mustBe(column.feature, [...features], `${path}.feature`, 'a feature of a contract', report);
    if (column.since === undefined) {
      report(`${path}.since`, `is missing; a column behind a feature tells the date it came with`);
    }
  }
}

function checkRange(path: string, column: ColumnDefinition, report: Report): void {
  if (column.min !== undefined && column.max !== undefined && column.min > column.max) {
    report(`${path}.min`, `${column.min} is above max ${column.max}`);
  }
  if (column.values !== undefined && column.type !== 'text') {
    report(`${path}.values`, `lists texts, but the type is ${column.type}`);
  }
  if (
    column.import !== undefined &&
    (column.part ?? column.word_of ?? column.goal ?? column.bit) !== undefined
  ) {
    report(`${path}.import`, 'belongs to stored columns only; this one is computed');
  }
}

function mustBe(name: string, known: readonly string[], path: string, what: string, report: Report): void {
  if (!known.includes(name)) report(path, `'${name}' is not ${what}; there are ${list(known)}`);
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}
