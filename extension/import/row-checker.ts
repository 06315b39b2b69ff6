// Owns the check of rows: which columns a file may have, and what is required.
// A row of the file in -> a row of numbers at the end of the batch, or a BadValue.
import { closest } from 'fastest-levenshtein';
import type { Material } from '../../manifests/reader/manifest';
import {
  columnSetters,
  type Draft,
  importableColumns,
  importName,
  type LookUp,
  type Note,
  type RowTarget,
  type Setter,
} from './column-setters';
import { keyPart } from './dimensions';
import { textHash } from './fingerprint';
import { BadValue } from './import-error';
import { makeRoom, type RowBatch, type RowShape } from './row-batch';

/** A row as it was read: an object, or cells in the order of the header. */
export type RawRow = Readonly<Record<string, unknown>> | readonly unknown[];

export interface RowChecker {
  /** The header of a file with cells; throws a BadValue for a column that cannot be imported. */
  header(names: readonly string[]): void;
  /** Checks a row and adds it to the batch. */
  add(row: RawRow, batch: RowBatch): void;
  /** The fields of a row that may hold placeholders, with their dimensions. */
  readonly lookUps: readonly LookUp[];
  /** The noted values of a row, for whom they count. */
  readonly notes: readonly Note[];
  /** Numbers of a row are the fields of the table, and one for the hash of values that are kept elsewhere. */
  readonly shape: RowShape;
}

/** Compiles the checker of a material. */
export function rowChecker(target: RowTarget): RowChecker {
  const { material, layout } = target;
  const draft: Draft = {
    values: new Float64Array(0),
    base: 0,
    at: 0,
    texts: [],
    noted: [],
    kept: new Array(layout.texts).fill(null),
  };
  const { setters, lookUps, notes } = columnSetters(target, draft);
  const width = layout.columns.length + 1;
  const idField = target.idField === undefined ? undefined : layout.fieldOf(target.idField);
  const required = importableColumns(material)
    .filter((column) => column.import === 'required')
    .map(importName);
  const fills = layout.columns
    .map((column, field) => ({ ...column, field, value: target.defaults.get(column.name) ?? 0 }))
    .filter((column) => !column.nullable && !target.computed.has(column.name));
  let cells: readonly { readonly name: string; readonly set: Setter; readonly required: boolean }[] = [];

  const setterFor = (name: string, value?: unknown): Setter => {
    const setter = setters.get(name);
    if (setter === undefined) throw new BadValue(name, value, refusalOf(name, material));
    return setter;
  };

  const begin = (batch: RowBatch): void => {
    makeRoom(batch, 0, 1);
    draft.values = batch.values;
    draft.base = batch.end * width;
    draft.values.fill(Number.NaN, draft.base, draft.base + width);
    draft.texts.fill(null);
    draft.kept.fill(null);
    draft.noted.fill(null);
  };

  const fromObject = (row: Readonly<Record<string, unknown>>): void => {
    for (const name in row) {
      const value = row[name];
      const set = setterFor(name, value);
      if (value !== null && value !== undefined) put(name, set, value);
    }
    for (const name of required) {
      const value = row[name] ?? null;
      if (value === null || value === '') throw new BadValue(name, value, 'is required');
    }
  };

  const fromCells = (row: readonly unknown[]): void => {
    if (row.length !== cells.length) {
      throw new BadValue(
        undefined,
        undefined,
        `has ${row.length} cells where the header has ${cells.length}`,
      );
    }
    for (let i = 0; i < cells.length; i += 1) {
      const cell = cells[i];
      if (cell === undefined) continue;
      const value = row[i];
      if (value !== '') put(cell.name, cell.set, value);
      else if (cell.required) throw new BadValue(cell.name, null, 'is required');
    }
  };

  const note = (one: Note, hash: number): number => {
    const value = draft.noted[one.slot] ?? null;
    const id = draft.values[draft.base + one.field] ?? Number.NaN;
    if (value === null) return hash;
    if (Number.isNaN(id)) {
      draft.noted[one.slot] = null;
      return hash;
    }
    const identified = idField !== undefined && !Number.isNaN(draft.values[draft.base + idField] ?? 0);
    return identified ? 0 : textHash(hash, `${one.column}${value}`);
  };

  const lookUp = ({ field, dimension, slots }: LookUp, batch: RowBatch): void => {
    let key: string | null = null;
    if (slots.length === 1) key = draft.texts[slots[0] ?? 0] ?? null;
    else if (slots.some((slot) => draft.texts[slot] !== null)) {
      key = '';
      for (const slot of slots) key += keyPart(draft.texts[slot] ?? null);
    }
    if (key === null) return;
    let id = dimension.recall(key);
    if (id === undefined) {
      const texts = slots.map((slot) => draft.texts[slot] ?? null);
      id = dimension.meet(key, texts, draft.at);
      batch.characters += key.length;
    }
    draft.values[draft.base + field] = id;
  };

  const finish = (batch: RowBatch): void => {
    const { values, base } = draft;
    let hash = 0;
    for (const one of notes) if (one.ofGivenKey) hash = note(one, hash);
    for (const one of lookUps) if (Number.isNaN(values[base + one.field] ?? 0)) lookUp(one, batch);
    for (const one of notes) if (!one.ofGivenKey) hash = note(one, hash);
    values[base + width - 1] = hash;
    for (const { slot } of notes) {
      const value = draft.noted[slot] ?? null;
      batch.noted[batch.end * notes.length + slot] = value;
      if (typeof value === 'string') batch.characters += value.length;
    }
    for (const fill of fills) {
      if (!Number.isNaN(values[base + fill.field] ?? 0)) continue;
      values[base + fill.field] = fill.value;
      if (fill.type === 'jsonb') draft.kept[fill.text ?? 0] = '{}';
    }
    for (let text = 0; text < layout.texts; text += 1) {
      const value = draft.kept[text] ?? null;
      batch.kept[batch.end * layout.texts + text] = value;
      if (value !== null) batch.characters += value.length;
    }
  };

  return {
    header(names) {
      const twice = names.find((name, place) => names.indexOf(name) < place);
      if (twice !== undefined) throw new BadValue(twice, undefined, 'stands twice in the header');
      cells = names.map((name) => ({ name, set: setterFor(name), required: required.includes(name) }));
      const lacking = required.find((name) => !names.includes(name));
      if (lacking !== undefined)
        throw new BadValue(lacking, undefined, 'is required, and the header lacks it');
    },
    add(row, batch) {
      begin(batch);
      if (isCells(row)) fromCells(row);
      else fromObject(row);
      finish(batch);
      batch.end += 1;
    },
    lookUps,
    notes,
    shape: { width, notes: notes.length, texts: layout.texts },
  };
}

function isCells(row: RawRow): row is readonly unknown[] {
  return Array.isArray(row);
}

function put(name: string, set: Setter, value: unknown): void {
  try {
    set(value);
  } catch (error) {
    if (error instanceof RangeError) throw new BadValue(name, value, error.message);
    throw error;
  }
}

/** Why a file may not give a column, and what would be right. */
function refusalOf(name: string, material: Material): string {
  if (material.columns.has(name.trim()) && name !== name.trim()) {
    return `has spaces around it, and they count; write ${name.trim()}`;
  }
  if (/[;\t]/.test(name)) return 'is no column; columns are separated by commas';
  const called = material.columns.get(name)?.import_name;
  if (called !== undefined) return `is called ${called} in files`;
  if (material.columns.has(name)) return 'is made from other columns and cannot be imported; leave it out';
  const names = importableColumns(material).map(importName);
  return `${material.name} has no such column; the nearest name is ${closest(name, names)}`;
}
