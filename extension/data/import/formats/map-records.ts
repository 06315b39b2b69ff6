// Converts the records of a file to rows of one material, according to the rules of its format. Compiled once per import.
import { closest } from 'fastest-levenshtein';
import type {
  ColumnSource,
  MaterialRule,
  OptIn,
  RecordCondition,
} from '../../../../manifests/reader/format-schema';
import type { ReadableFormat } from '../../../../manifests/reader/formats';
import { linearRegex } from '../../../../manifests/reader/linear-regex';
import type { SiteAddresses } from '../derive/site-addresses';
import { ImportError, inColumn } from '../import-error';
import { LEFT_OUT } from '../read-pairs';
import { elementField, type FindField, type ReadField, textOf } from './record-fields';
import { TESTS } from './record-tests';
import { TRANSFORMS } from './transforms';

export interface MapperOptions {
  readonly format: ReadableFormat;
  readonly material: string;
  readonly site: SiteAddresses;
  readonly optIns: ReadonlySet<OptIn>;
  /** Our columns by field in the file, in addition to the format's mapping. */
  readonly renamed: ReadonlyMap<string, string>;
  /** The file's fields that no row has had yet; JSON records may omit any field. */
  readonly unseen: Set<string>;
  /** Columns that have the same value in every row, with that value. */
  readonly constants: ReadonlyMap<string, string>;
}

/** Compiles a mapper. Throws an ImportError if the format has no such material. */
export function recordMapper(options: MapperOptions, findField: FindField) {
  const { format, site, renamed, unseen, constants } = options;
  const rule = ruleOf(options);
  const names = new Map(Object.entries(format.fields));
  /** The field's name in the file. */
  const inFile = (name: string): string => names.get(name) ?? name;
  const fieldOf: FindField = (name) => findField(inFile(name));
  const skip = skipReason(options, rule, fieldOf);
  const findOfRow = rule.each === undefined ? findField : elementField;
  const isLeftOut = (field: string): boolean => renamed.get(field) === LEFT_OUT;
  const ofRow: FindField = (name) => (isLeftOut(inFile(name)) ? () => undefined : findOfRow(inFile(name)));
  const given = new Map<string, ReadField>();
  for (const [field, column] of renamed) {
    const read = noticing(field, findOfRow(field), unseen);
    if (!isLeftOut(field)) given.set(column, read);
  }
  for (const [column, value] of constants) given.set(column, () => value);
  const readers = new Map(
    Object.entries(rule.columns).map(([name, source]) => [
      name,
      given.get(name) ?? cellReader(name, source, ofRow, site),
    ]),
  );
  for (const [name, read] of given) readers.set(name, read);
  const cells = [...readers];
  const each = rule.each === undefined ? undefined : fieldOf(rule.each);
  const isElement = allOf(rule.where, (name) => findOfRow(inFile(name)), site);
  return {
    /** The columns of the rows that `row` returns. */
    names: [...readers.keys()],
    /** The parts of a record, each of which is imported as a row, or why there are none. */
    sourcesOf(record: unknown): Iterable<unknown> | string {
      const reason = skip(record);
      if (reason !== undefined) return reason;
      if (each === undefined) return [record];
      const list = each(record);
      return Array.isArray(list) ? elementsOf(list, record) : [];
    },
    /** The row for one of these parts, without unknown values. Throws a BadValue if a value is invalid. */
    row(source: unknown): Record<string, unknown> {
      const row: Record<string, unknown> = {};
      for (const [name, read] of cells) {
        const value = read(source);
        if (value !== '') row[name] = value;
      }
      return row;
    },
  };
  function* elementsOf(list: readonly unknown[], whole: unknown): Generator<unknown> {
    for (const element of list) {
      const source = { element, whole };
      if (isElement(source)) yield source;
    }
  }
}

/** Removes the field from `unseen` when a record has it. */
const noticing =
  (field: string, read: ReadField, unseen: Set<string>): ReadField =>
  (record) => {
    const value = read(record);
    if (value !== undefined) unseen.delete(field);
    return value ?? '';
  };

export const unseenWarnings = (
  unseen: ReadonlySet<string>,
  renamed: ReadonlyMap<string, string> = new Map(),
): readonly string[] =>
  [...renamed]
    .filter(([field, column]) => unseen.has(field) && column !== LEFT_OUT)
    .map(([field, column]) => `No row has a field ${field}, which should be imported as ${column}.`);

/** The rule for a material; throws an error that names the format's materials if there is none. */
function ruleOf({ format, material }: Pick<MapperOptions, 'format' | 'material'>): MaterialRule {
  const rule = format.materials[material];
  if (rule !== undefined) return rule;
  throw new ImportError(
    `A file in the format ${format.name} contains no ${material}; it can be imported as ${Object.keys(format.materials).join(' and as ')}`,
  );
}

function skipReason(
  { format, material, optIns, site }: MapperOptions,
  rule: MaterialRule,
  fieldOf: FindField,
): (record: unknown) => string | undefined {
  const compiled = (skip: ReadableFormat['skip']) =>
    skip
      .filter(({ unless }) => unless === undefined || !optIns.has(unless))
      .map(({ where, because }) => ({ holds: condition(where, fieldOf, site), because }));
  const [rules, ownRules] = [compiled(format.skip), compiled(rule.skip)];
  const others = Object.entries(format.materials)
    .filter(([name]) => name !== material)
    .map(([name, { where }]) => ({ holds: allOf(where, fieldOf, site), because: `rows of ${name}` }));
  const isOurs = rule.each === undefined ? allOf(rule.where, fieldOf, site) : () => true;
  return (record) => {
    for (const { holds, because } of rules) if (holds(record)) return because;
    if (isOurs(record)) return ownRules.find(({ holds }) => holds(record))?.because;
    return others.find(({ holds }) => holds(record))?.because ?? 'other records';
  };
}

type Holds = (record: unknown) => boolean;

function allOf(conditions: readonly RecordCondition[], fieldOf: FindField, site: SiteAddresses): Holds {
  const all = conditions.map((one) => condition(one, fieldOf, site));
  return (record) => all.every((holds) => holds(record));
}

function condition(it: RecordCondition, fieldOf: FindField, site: SiteAddresses): Holds {
  const read = fieldOf(it.from);
  if ('in' in it) {
    const values = new Set(it.in);
    return (record) => values.has(textOf(read(record)));
  }
  if ('not_in' in it) {
    const values = new Set(it.not_in);
    return (record) => !values.has(textOf(read(record)));
  }
  if ('matches' in it) {
    const regex = linearRegex(it.matches);
    return (record) => regex.test(textOf(read(record)));
  }
  const test = TESTS[it.is](site);
  return (record) => test(read(record));
}

/** Returns a reader of one cell; an empty string means unknown. */
function cellReader(name: string, source: ColumnSource, fieldOf: FindField, site: SiteAddresses): ReadField {
  if (typeof source === 'string') {
    const read = fieldOf(source);
    return (record) => read(record) ?? '';
  }
  if ('value' in source) return () => source.value;
  const { from, as, words, otherwise, when } = source;
  const fields = (typeof from === 'string' ? [from] : from).map(fieldOf);
  const transform = as === undefined ? undefined : TRANSFORMS[as]();
  const holds = when === undefined ? () => true : condition(when, fieldOf, site);
  const known = words === undefined ? undefined : new Map(Object.entries(words));
  return (record) => {
    if (!holds(record)) return '';
    const values = fields.map((read) => read(record));
    const value = transform === undefined ? values[0] : inColumn(name, values[0], () => transform(...values));
    if (known === undefined) return value ?? '';
    const other = otherwise === 'null' ? '' : otherwise;
    return known.get(textOf(value)) ?? (other === 'same' ? (value ?? '') : other);
  };
}

/** Fields of records with a header. A field in a shipped format may be missing, but not one that the user names. */
export function headerFields(
  header: readonly string[],
  line: number,
  requested: ReadonlyMap<string, string>,
  isOwn = false,
): FindField {
  const places = new Map(header.map((name, place) => [name, place]));
  const refuse = (name: string): never => {
    const nearest = closest(name, [...header]);
    throw new ImportError(`the header has no ${name}; the most similar name is ${nearest}`, { line });
  };
  for (const name of requested.keys()) if (!places.has(name)) refuse(name);
  return (name) => {
    const place = places.get(name);
    if (place !== undefined) return (record) => (Array.isArray(record) ? record[place] : undefined);
    return isOwn ? refuse(name) : () => undefined;
  };
}
