// Checks the rows of a file: its columns, required values, and every value. A valid row is appended to a batch as numbers and
// extras.
import { closest } from 'fastest-levenshtein';
import type { ClientBase } from 'pg';
import { fileColumns, requiredColumns } from '../../../manifests/reader/import-columns';
import { KNOWN_WORDS } from '../../../manifests/reader/known-words';
import type { Material } from '../../../manifests/reader/manifest';
import { beginRow, type RawRow, type RowBatch, rowBatch, setValue, valueAt } from '../rows/row-batch';
import { columnSetters, type DraftRow, type LookUp, type RowTarget, type Setter } from './column-setters';
import { keyPart } from './dimensions';
import { isDerivedName } from './fact-columns';
import { BadValue, inColumn } from './import-error';

export type RowChecker = ReturnType<typeof rowChecker>;

/** Compiles the checker of a material. */
export function rowChecker(target: RowTarget) {
  const { material, layout } = target;
  const draft: DraftRow = { batch: rowBatch(layout.texts), texts: [] };
  const { setters, lookUps } = columnSetters(target, draft);
  const knownDimensions = new Set(lookUps.map(({ dimension }) => dimension));
  const required = requiredColumns(material);
  const timeField = layout.has('at') ? layout.fieldOf('at') : undefined;

  const isEmpty = (field: number): boolean => Number.isNaN(valueAt(draft.batch, draft.batch.end, field));

  const setterFor = (name: string, value?: unknown): Setter => {
    const setter = isDerivedName(name) ? ignore : setters.get(name);
    if (setter === undefined) throw new BadValue(name, value, refusalOf(name, material));
    return setter;
  };

  const begin = (batch: RowBatch): void => {
    beginRow(batch);
    draft.batch = batch;
    draft.texts.fill(null);
  };

  const readObject = (row: RawRow): void => {
    for (const name in row) {
      const value = row[name];
      // The importer itself cleared the column.
      if (value === undefined) continue;
      const set = setters.get(name) ?? setterFor(name, value);
      if (value !== null) inColumn(name, value, set);
    }
    for (const name of required) {
      const value = row[name] ?? null;
      if (value === null || value === '') throw new BadValue(name, value, 'is required');
    }
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
      id = dimension.meet(
        key,
        texts,
        timeField === undefined ? Number.NaN : valueAt(batch, batch.end, timeField),
      );
      batch.characters += key.length;
    }
    setValue(batch, batch.end, field, id);
  };

  const finish = (batch: RowBatch, line: number): void => {
    for (const one of lookUps)
      if (isEmpty(one.field) && !(one.onlyWith !== undefined && isEmpty(one.onlyWith))) lookUp(one, batch);
    batch.lines[batch.end] = line;
    const firstExtra = batch.end * layout.texts;
    for (let extra = firstExtra; extra < firstExtra + layout.texts; extra += 1)
      batch.characters += batch.extras[extra]?.length ?? 0;
  };

  return {
    /**
     * Checks the columns of a file whose rows all have the same columns. Throws a BadValue for a column that
     * cannot be imported.
     */
    header(names: readonly string[]): void {
      const repeated = names.find((name, place) => names.indexOf(name) < place);
      if (repeated !== undefined) throw new BadValue(repeated, undefined, 'occurs twice in the header');
      for (const name of names) setterFor(name);
      const missing = required.find((name) => !names.includes(name));
      if (missing !== undefined)
        throw new BadValue(missing, undefined, 'is required, but missing from the header');
    },
    /** Checks a row and adds it to the batch. Throws a BadValue, and leaves the batch unchanged, if the row is invalid. */
    add(row: RawRow, batch: RowBatch, line: number): void {
      begin(batch);
      readObject(row);
      finish(batch, line);
      batch.end += 1;
    },
    /** Finds the ids of all new strings, and replaces the placeholders in the batch with them. */
    async settleIds(client: ClientBase, { columns, end }: RowBatch): Promise<void> {
      for (const dimension of knownDimensions) await dimension.settle(client);
      for (const { field, dimension } of lookUps) {
        const values = columns[field];
        for (let row = 0; values !== undefined && row < end; row += 1) {
          const id = values[row] ?? 0;
          if (id < 0 && dimension.gave(id)) values[row] = dimension.translate(id);
        }
      }
    },
    /** The number of strings that each row stores. */
    extrasPerRow: layout.texts,
  };
}

const ignore: Setter = () => undefined;

/** Explains why a file may not contain a column, and what to do instead. */
function refusalOf(name: string, material: Material): string {
  if (material.columns.has(name.trim()) && name !== name.trim())
    return `has spaces around it, which are significant; write ${name.trim()}`;
  if (/[;\t]/.test(name))
    return 'is not a column; if the cells are not separated by commas, specify the delimiter';
  const called = material.columns.get(name)?.import_name;
  if (called !== undefined) return `is called ${called} in files`;
  if (material.columns.has(name))
    return 'is computed from other columns and cannot be imported; leave it out';
  const names = fileColumns(material);
  const meant = columnForSynonym(name, names);
  if (meant !== undefined) return `${material.name} has no such column; it is called ${meant} here`;
  return `${material.name} has no such column; the most similar name is ${closest(name, names)}`;
}

/** The first column that has this name in other programs. */
export function columnForSynonym(name: string, columns: readonly string[]): string | undefined {
  const words = name
    .trim()
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\d]+/gu, '_');
  return columns.find((column) => column === words || KNOWN_WORDS.column_synonyms[column]?.includes(words));
}
