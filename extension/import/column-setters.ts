// Owns where the value of each column goes: a number of the row, a text for a dimension, or a newest value.
// Manifest + table layout -> one setter per column. Compiled once per import; the setters run for every value.
import type { Column, Manifest, Material } from '../../manifests/reader/manifest';
import type { Dimension } from './dimensions';
import { parseParams } from './exact-json';
import { textHash } from './fingerprint';
import type { NewestValues } from './newest-values';
import { parseDay, parseFirstOfMonth, type TimeParser } from './parse-time';
import { DEVICE_SYNONYMS, numberParser, parseCountry, parseText, textParser } from './parse-value';
import type { StoredColumn, TableLayout } from './table-layout';

/** What the importer needs to know of the place where the rows of a material go. */
export interface RowTarget {
  readonly manifest: Manifest;
  readonly material: Material;
  readonly layout: TableLayout;
  readonly parseTime: TimeParser;
  /** By the name of the dimension. */
  readonly dimensions: ReadonlyMap<string, Dimension>;
  readonly newest: ReadonlyMap<string, NewestValues>;
  /** Dimensions whose texts are fixed (devices): text -> id. */
  readonly fixedIds: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The field by which a file may name its rows; a row without it is known by all that it says. */
  readonly idField?: string;
  /** Field -> value where the file gives none and the table wants one; the others become 0. */
  readonly defaults: ReadonlyMap<string, number>;
  /** Fields that stay open: they are computed after the check. */
  readonly computed: ReadonlySet<string>;
}

/** The row that is being read. */
export interface Draft {
  values: Float64Array;
  /** Place of the row's first field in `values`. */
  base: number;
  at: number;
  readonly texts: (string | null)[];
  readonly noted: (string | number | null)[];
  /** Texts that the row keeps itself. */
  readonly kept: (string | null)[];
}

/** Takes a value that is not null; throws a RangeError for a bad one. */
export type Setter = (value: unknown) => void;

/** Texts that become an id once the row is read, unless the file gave the id itself. */
export interface LookUp {
  readonly field: number;
  readonly dimension: Dimension;
  readonly slots: readonly number[];
}

/** A value kept for the entry behind a key: `slot` in Draft.noted. */
export interface Note {
  readonly field: number;
  readonly slot: number;
  readonly newest: NewestValues;
  readonly column: number;
  /** Whether it counts only where the file gave the key itself; otherwise the text is the key. */
  readonly ofGivenKey: boolean;
}

export interface ColumnSetters {
  readonly setters: ReadonlyMap<string, Setter>;
  readonly lookUps: readonly LookUp[];
  readonly notes: readonly Note[];
}

/** The columns of a material that a file may give. */
export function importableColumns(material: Material): readonly Column[] {
  return [...material.columns.values()].filter((column) => column.import !== undefined);
}

/** What files call a column. */
export function importName(column: Column): string {
  return column.import_name ?? column.name;
}

/** Compiles the setters of a material; they write to `draft`. */
export function columnSetters(target: RowTarget, draft: Draft): ColumnSetters {
  const lookUps = new Map<string, LookUp>();
  const notes: Note[] = [];
  const setters = new Map<string, Setter>();
  for (const column of importableColumns(target.material)) {
    setters.set(importName(column), setterOf(column, target, draft, lookUps, notes));
  }
  return { setters, lookUps: [...lookUps.values()], notes };
}

function setterOf(
  column: Column,
  target: RowTarget,
  draft: Draft,
  lookUps: Map<string, LookUp>,
  notes: Note[],
): Setter {
  const { layout, material } = target;
  const stored = column.field ?? importName(column);
  if (column.name === material.time?.column && material.time.grain === 'instant') {
    const field = layout.fieldOf(stored);
    return (value) => {
      draft.at = target.parseTime(value);
      draft.values[draft.base + field] = draft.at;
    };
  }
  if (column.via === undefined) {
    const field = layout.fieldOf(stored);
    const physical = layout.columns[field];
    if (physical?.text !== undefined) return keptSetter(column, field, physical, physical.text, draft);
    const parse = column.type === 'date' ? dayParser(stored) : numberParser(column, physical?.type ?? 'int8');
    return (value) => {
      draft.values[draft.base + field] = parse(value);
    };
  }
  const dimensionName = material.keys.get(column.via) ?? column.via;
  const fixed = target.fixedIds.get(dimensionName);
  if (fixed !== undefined) return fixedSetter(column, layout.fieldOf(column.via), fixed, draft);

  const parse = column.type === 'text' ? parserOf(column) : numberParser(column, 'int4');
  const textSlot = slotOf(column.via, dimensionName, stored, target, draft, lookUps);
  const noteSlot = noteOf(column.via, dimensionName, stored, target, draft, notes);
  if (textSlot === undefined && noteSlot === undefined) {
    throw new Error(`the importer keeps ${column.name} of ${material.name} nowhere`);
  }
  return (value) => {
    const parsed = parse(value);
    if (textSlot !== undefined) draft.texts[textSlot] = String(parsed);
    if (noteSlot !== undefined) draft.noted[noteSlot] = parsed;
  };
}

/** Months are stored by their first day, in a field of that name. */
function dayParser(field: string): (value: unknown) => number {
  return field === 'month' ? parseFirstOfMonth : parseDay;
}

const NO_PARAMS = '{}';

function keptSetter(column: Column, field: number, stored: StoredColumn, text: number, draft: Draft): Setter {
  const parse = stored.type === 'jsonb' ? parseParams : parserOf(column);
  return (value) => {
    const parsed = parse(value);
    if (stored.type === 'jsonb' && parsed === NO_PARAMS) return;
    draft.kept[text] = parsed;
    draft.values[draft.base + field] = textHash(0, parsed);
  };
}

function parserOf(column: Column): (value: unknown) => string {
  return column.name === 'country_code' ? parseCountry : textParser(column.field ?? column.name);
}

function fixedSetter(column: Column, field: number, ids: ReadonlyMap<string, number>, draft: Draft): Setter {
  return (value) => {
    const text = parseText(value);
    const id = ids.get(text) ?? ids.get(DEVICE_SYNONYMS.get(text.toLowerCase()) ?? '');
    if (id === undefined) {
      throw new RangeError(
        `must be one of ${(column.values ?? [...ids.keys()]).join(', ')} (or ${SYNONYMS})`,
      );
    }
    draft.values[draft.base + field] = id;
  };
}

const SYNONYMS = [...DEVICE_SYNONYMS.keys()].join(', ');

/** The texts that tell the entries of a dimension apart. */
function identityOf(manifest: Manifest, name: string): readonly string[] {
  const found = manifest.dimensions.get(name);
  if (found === undefined) throw new Error(`the manifest has no dimension ${name}`);
  return found.unique === undefined ? found.fields : [found.unique];
}

function slotOf(
  key: string,
  dimensionName: string,
  stored: string,
  target: RowTarget,
  draft: Draft,
  lookUps: Map<string, LookUp>,
): number | undefined {
  const identity = identityOf(target.manifest, dimensionName);
  const place = identity.indexOf(stored);
  if (place < 0) return undefined;
  let lookUp = lookUps.get(key);
  if (lookUp === undefined) {
    const dimension = target.dimensions.get(dimensionName);
    if (dimension === undefined) throw new Error(`the importer has no dimension ${dimensionName}`);
    const slots = identity.map(() => draft.texts.push(null) - 1);
    lookUp = { field: target.layout.fieldOf(key), dimension, slots };
    lookUps.set(key, lookUp);
  }
  return lookUp.slots[place];
}

function noteOf(
  key: string,
  dimensionName: string,
  stored: string,
  target: RowTarget,
  draft: Draft,
  notes: Note[],
): number | undefined {
  const newest = target.newest.get(dimensionName);
  const column = newest?.columnOf(stored) ?? -1;
  if (newest === undefined || column < 0) return undefined;
  const slot = draft.noted.push(null) - 1;
  const ofGivenKey = target.material.columns.get(key)?.import !== undefined;
  notes.push({ field: target.layout.fieldOf(key), slot, newest, column, ofGivenKey });
  return slot;
}
