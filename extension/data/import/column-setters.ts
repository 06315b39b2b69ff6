// Setters that store the value of each column: as a number or string in the row, or as the id of a string in a dimension. They are
// compiled once per import, and run for every value.

import { importableColumns, importName } from '../../../manifests/reader/import-columns';
import type { Column, Material } from '../../../manifests/reader/manifest';
import { FIRST_AT } from '../change/view-change';
import { NAMED_BY } from '../rows/generated-ids';
import { type RowBatch, setValue } from '../rows/row-batch';
import type { TableLayout } from '../rows/table-layout';
import { OF_VIEW, READER_OF_ADDRESS } from './derive/derive-views';
import type { DimensionIds } from './dimensions';
import { parseParams } from './exact-json';
import { FACT } from './fact-columns';
import { textHash } from './fingerprint';
import type { ImportSources } from './import-sources';
import { parseDay, parseFirstOfMonth, type TimeParser } from './parse-time';
import { codeParser, idParser, numberParser, parseFlag, parseText, textParser } from './parse-value';

/** Where the rows of a material are stored. */
export interface RowTarget {
  readonly material: Material;
  readonly layout: TableLayout;
  readonly parseTime: TimeParser;
  /** By dimension name. */
  readonly dimensions: ReadonlyMap<string, DimensionIds>;
  /** For each dimension, the ids of a row's own values, from which the dimension's newest values are derived. */
  readonly states?: ReadonlyMap<string, DimensionIds>;
  /** For each field whose ids may be text in files, the ids of its strings. */
  readonly ids?: ReadonlyMap<string, DimensionIds>;
  /** For tables whose rows have a source. */
  readonly sources?: ImportSources;
}

/** The row being read. */
export interface DraftRow {
  /** The batch to which the row is added. The batch has room for the row. */
  batch: RowBatch;
  /** Strings that are replaced with ids. */
  readonly texts: (string | null)[];
}

/** Sets a value that is not null. Throws a RangeError for an invalid one. */
export type Setter = (value: unknown) => void;

/** Strings in a draft, by slot, whose id is stored in a field unless the file contains that id itself. */
export interface LookUp {
  readonly field: number;
  readonly dimension: DimensionIds;
  readonly slots: readonly number[];
  /** A field that the file must contain; otherwise nothing is looked up. */
  readonly onlyWith?: number;
}

/** The URL identifies a page; a view does not change it. */
const IDENTITY: ReadonlySet<string> = new Set(['url']);

/** The file columns from which a field of a stored row is imported, joined by "or" for a message. */
export function columnsBehind(material: Material, field: string): string {
  // page_state_id and view_source_id have no columns: their values come from those of page_id and source_id.
  const key = field.replace(/^view_/, '').replace('_state_id', '_id');
  const columns = importableColumns(material).filter((column) => {
    if (column.via === undefined) return (column.field ?? importName(column)) === field;
    return column.via === key && (key === field || !IDENTITY.has(column.name));
  });
  return columns.map(importName).join(' or ') || field;
}

const NO_PARAMS = '{}';

/** Compiles the setters of a material; they write to `draft`. */
export function columnSetters(target: RowTarget, draft: DraftRow) {
  const { material, layout, dimensions, states, ids, sources } = target;
  const idLookUps: LookUp[] = [];
  const lookUps = new Map<string, LookUp>();
  const indexOf = (field: string): number => layout.columns.findIndex(({ name }) => name === field);
  const [visitor, namedBy] = [indexOf('reader_id'), indexOf('named_by')];
  const newSlot = (): number => draft.texts.push(null) - 1;
  const set = (field: number, value: number): void => setValue(draft.batch, draft.batch.end, field, value);

  const numberSetter = (field: number, parse: (value: unknown) => number): Setter => {
    return (value) => {
      set(field, parse(value));
    };
  };

  /** Records what identified the visitor, in tables that store it. */
  const nameVisitor = (by: number): void => {
    if (namedBy >= 0) set(namedBy, by);
  };

  const idSetter = (column: Column, field: number, dimension: DimensionIds): Setter => {
    const slot = newSlot();
    idLookUps.push({ field, dimension, slots: [slot] });
    const parse = idParser(column);
    return (value) => {
      const id = parse(value);
      if (typeof id === 'number') set(field, id);
      else {
        draft.texts[slot] = id;
        if (field === visitor) nameVisitor(NAMED_BY.text);
      }
    };
  };

  const storedSetter = (column: Column): Setter => {
    const name = column.field ?? importName(column);
    const field = layout.fieldOf(name);
    const texts = ids?.get(name);
    if (texts !== undefined) return idSetter(column, field, texts);
    const { type, text } = layout.columns[field] ?? { type: 'int8' };
    if (text !== undefined) {
      const parse = type === 'jsonb' ? parseParams : textParser(column);
      return (value) => {
        const parsed = parse(value);
        if (type === 'jsonb' && parsed === NO_PARAMS) return;
        draft.batch.extras[draft.batch.end * layout.texts + text] = parsed;
        set(field, textHash(0, parsed));
      };
    }
    if (column.type === 'datetime') return numberSetter(field, target.parseTime);
    if (column.type === 'date') return numberSetter(field, name === 'month' ? parseFirstOfMonth : parseDay);
    return numberSetter(field, numberParser(column, type));
  };

  /** The slot of a string that is part of the identity of the dimension row in a field; undefined for other strings. */
  const slotOf = (
    field: string,
    dimension: DimensionIds,
    name: string,
    onlyWith?: string,
  ): number | undefined => {
    const index = dimension.identity.indexOf(name);
    if (index < 0) return undefined;
    const lookUp = lookUps.get(field) ?? {
      field: layout.fieldOf(field),
      dimension,
      slots: dimension.identity.map(newSlot),
      ...(onlyWith !== undefined && { onlyWith: layout.fieldOf(onlyWith) }),
    };
    lookUps.set(field, lookUp);
    return lookUp.slots[index];
  };

  /**
   * The field that a file must contain for a row to have its own values for a dimension row; undefined if files
   * cannot contain it.
   */
  const givenKey = (key: string): string | undefined =>
    material.columns.get(key)?.import === undefined ? undefined : key;

  /** `field` is where the id is stored. */
  const dimensionSetter = (column: Column, key: string, field = key): Setter => {
    const codes = material.columns.get(key)?.words;
    if (codes !== undefined) return numberSetter(layout.fieldOf(key), codeParser(codes));
    const name = column.field ?? column.name;
    const dimensionName = material.keys.get(key) ?? key;
    const dimension = dimensions.get(dimensionName);
    const slot = dimension && slotOf(field, dimension, name);
    const state = states?.get(dimensionName);
    const stateSlot = state && slotOf(state.id, state, name, givenKey(key));
    if (slot === undefined && stateSlot === undefined)
      throw new Error(`The importer has no place to store ${column.name} of ${material.name}.`);
    const parse = column.type === 'text' ? textParser(column) : numberParser(column, 'int4');
    return (value) => {
      const parsed = parse(value);
      if (slot !== undefined) draft.texts[slot] = String(parsed);
      if (stateSlot !== undefined) draft.texts[stateSlot] = String(parsed);
    };
  };

  /** The setters by column name in files. */
  const setters = new Map<string, Setter>();
  for (const column of importableColumns(material)) {
    const name = importName(column);
    if (column.via === undefined) setters.set(name, storedSetter(column));
    else setters.set(name, dimensionSetter(column, column.via));
    const ofView = `view_${column.via}`;
    if (column.via !== undefined && layout.has(ofView))
      setters.set(`${OF_VIEW}${name}`, dimensionSetter(column, column.via, ofView));
  }
  if (namedBy >= 0) {
    const setVisitor = numberSetter(visitor, Number);
    setters.set(READER_OF_ADDRESS, (value) => {
      setVisitor(value);
      nameVisitor(NAMED_BY.address);
    });
  }
  const setFact = (name: string, field: string, parse: (value: unknown) => number): void => {
    if (layout.has(field)) setters.set(name, numberSetter(layout.fieldOf(field), parse));
  };
  const parseMark = (value: unknown): number => (parseFlag(value) === 1 ? 1 : Number.NaN);
  setFact(FACT.firstAt, FIRST_AT, target.parseTime);
  setFact(FACT.isVisitTraffic, 'is_visit_traffic', parseMark);
  setFact(FACT.isBrowseDerived, 'is_browse_derived', parseMark);
  if (sources !== undefined) {
    const slot = newSlot();
    idLookUps.push({ field: layout.fieldOf('source_no'), dimension: sources.names, slots: [slot] });
    setters.set(FACT.sourceName, (value) => {
      draft.texts[slot] = parseText(value);
    });
  }
  const all = [...lookUps.values()];
  const isOfState = ({ onlyWith }: LookUp): boolean => onlyWith !== undefined;
  // Lookups that depend on an id from the file run after the lookups of ids.
  const ordered = [...idLookUps, ...all.filter(isOfState), ...all.filter((one) => !isOfState(one))];
  return { setters, lookUps: ordered };
}
