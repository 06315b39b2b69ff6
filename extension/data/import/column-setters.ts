// Where the value of each column goes: a number of the row, a text that the row stores, or a text that becomes the id of a
// dimension. Compiled once per import; the setters run for every value.

import type { Column, Material } from '../../../manifests/reader/manifest';
import { FIRST_AT } from '../change/view-change';
import { NAMED_BY } from '../rows/generated-ids';
import type { Extra } from '../rows/row-batch';
import type { TableLayout } from '../rows/table-layout';
import { OF_VIEW, READER_OF_ADDRESS } from './derive/derive-views';
import type { DimensionIds, RowState } from './dimensions';
import { parseParams } from './exact-json';
import { FACT } from './fact-columns';
import { textHash } from './fingerprint';
import type { ImportSources } from './import-sources';
import { parseDay, parseFirstOfMonth, type TimeParser } from './parse-time';
import { codeParser, idParser, numberParser, parseFlag, parseText, textParser } from './parse-value';

/** Where the rows of a material go. */
export interface RowTarget {
  readonly material: Material;
  readonly layout: TableLayout;
  readonly parseTime: TimeParser;
  /** By the name of the dimension. */
  readonly dimensions: ReadonlyMap<string, DimensionIds>;
  /** By the name of the dimension whose newest values follow from them: where a row keeps what it says. */
  readonly states?: ReadonlyMap<string, RowState>;
  /** Field -> the ids of its texts, for fields whose ids files may give as text. */
  readonly ids?: ReadonlyMap<string, DimensionIds>;
  /** For tables whose rows have a source. */
  readonly sources?: ImportSources;
}

/** The row that is being read. */
export interface DraftRow {
  values: Float64Array;
  /** Place of the row's first field in `values`. */
  base: number;
  at: number;
  /** Texts that become ids. */
  readonly texts: (string | null)[];
  /** As in a RowBatch. */
  readonly extras: Extra[];
}

/** Takes a value that is not null. Throws a RangeError for a bad one. */
export type Setter = (value: unknown) => void;

/** Texts of a draft, by slot, that become the id in a field unless the file gave that id itself. */
export interface LookUp {
  readonly field: number;
  readonly dimension: DimensionIds;
  readonly slots: readonly number[];
  /** A field that the file must have given itself: otherwise nothing is looked up. */
  readonly onlyWith?: number;
}

interface ColumnSetters {
  /** By the name that files use. */
  readonly setters: ReadonlyMap<string, Setter>;
  /** Ids that files may give as text; to be looked up first. */
  readonly idLookUps: readonly LookUp[];
  readonly lookUps: readonly LookUp[];
}

/** The columns of a material that a file may give. */
export const importableColumns = (material: Material): readonly Column[] =>
  [...material.columns.values(), ...material.importColumns].filter((column) => column.import !== undefined);

/** What files call a column. */
export const importName = (column: Column): string => column.import_name ?? column.name;

const NO_PARAMS = '{}';

/** Compiles the setters of a material; they write to `draft`. */
export function columnSetters(target: RowTarget, draft: DraftRow): ColumnSetters {
  const { material, layout, dimensions, states, ids } = target;
  const idLookUps: LookUp[] = [];
  const stateLookUps = new Map<string, LookUp>();
  const lookUps = new Map<string, LookUp>();
  const placeOf = (field: string): number => layout.columns.findIndex(({ name }) => name === field);
  const [visitor, namedBy] = [placeOf('reader_id'), placeOf('named_by')];

  const numberSetter = (field: number, parse: (value: unknown) => number): Setter => {
    return (value) => {
      draft.values[draft.base + field] = parse(value);
    };
  };

  /** Records what named the visitor, in tables that store it. */
  const nameVisitor = (by: number): void => {
    if (namedBy >= 0) draft.values[draft.base + namedBy] = by;
  };

  const idSetter = (column: Column, field: number, dimension: DimensionIds): Setter => {
    const slot = draft.texts.push(null) - 1;
    idLookUps.push({ field, dimension, slots: [slot] });
    const parse = idParser(column);
    return (value) => {
      const id = parse(value);
      if (typeof id === 'number') draft.values[draft.base + field] = id;
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
        draft.extras[text] = parsed;
        draft.values[draft.base + field] = textHash(0, parsed);
      };
    }
    if (column.type === 'datetime') {
      return (value) => {
        draft.at = target.parseTime(value);
        draft.values[draft.base + field] = draft.at;
      };
    }
    if (column.type === 'date') return numberSetter(field, name === 'month' ? parseFirstOfMonth : parseDay);
    return numberSetter(field, numberParser(column, type));
  };

  /** The slot of a text that helps to identify the dimension row behind a key. */
  const slotOf = (key: string, dimension: DimensionIds, name: string): number | undefined => {
    const place = dimension.identity.indexOf(name);
    if (place < 0) return undefined;
    const slots = lookUps.get(key)?.slots ?? dimension.identity.map(() => draft.texts.push(null) - 1);
    lookUps.set(key, { field: layout.fieldOf(key), dimension, slots });
    return slots[place];
  };

  const needsGivenId = (key: string): boolean => material.columns.get(key)?.import !== undefined;

  /** The slot of a text that is part of what the row itself says of the dimension row behind a key. */
  const stateSlotOf = (key: string, state: RowState, name: string): number | undefined => {
    const { dimension, field } = state;
    const place = dimension.identity.indexOf(name);
    if (place < 0) return undefined;
    const slots = stateLookUps.get(key)?.slots ?? dimension.identity.map(() => draft.texts.push(null) - 1);
    const onlyWith = needsGivenId(key) ? { onlyWith: layout.fieldOf(key) } : {};
    stateLookUps.set(key, { field: layout.fieldOf(field), dimension, slots, ...onlyWith });
    return slots[place];
  };

  /** `field` is where the id goes. */
  const dimensionSetter = (column: Column, key: string, field = key): Setter => {
    const codes = material.columns.get(key)?.words;
    if (codes !== undefined) return numberSetter(layout.fieldOf(key), codeParser(codes));
    const name = column.field ?? column.name;
    const dimensionName = material.keys.get(key) ?? key;
    const dimension = dimensions.get(dimensionName);
    const slot = dimension && slotOf(field, dimension, name);
    const state = states?.get(dimensionName);
    const stateSlot = state && stateSlotOf(key, state, name);
    if (slot === undefined && stateSlot === undefined)
      throw new Error(`The importer stores ${column.name} of ${material.name} nowhere.`);
    const parse = column.type === 'text' ? textParser(column) : numberParser(column, 'int4');
    return (value) => {
      const parsed = parse(value);
      if (slot !== undefined) draft.texts[slot] = String(parsed);
      if (stateSlot !== undefined) draft.texts[stateSlot] = String(parsed);
    };
  };

  const facts = factSetters(target, draft);
  const setters = new Map(facts.setters);
  for (const column of importableColumns(material)) {
    const name = importName(column);
    if (column.via === undefined) setters.set(name, storedSetter(column));
    else setters.set(name, dimensionSetter(column, column.via));
    const ofView = `view_${column.via}`;
    if (column.via !== undefined && layout.columns.some((field) => field.name === ofView))
      setters.set(`${OF_VIEW}${name}`, dimensionSetter(column, column.via, ofView));
  }
  if (namedBy >= 0) {
    const set = numberSetter(visitor, Number);
    setters.set(READER_OF_ADDRESS, (value) => {
      set(value);
      nameVisitor(NAMED_BY.address);
    });
  }
  return {
    setters,
    idLookUps: [...idLookUps, ...facts.lookUps],
    lookUps: [...stateLookUps.values(), ...lookUps.values()],
  };
}

interface FactSetters {
  readonly setters: ReadonlyMap<string, Setter>;
  readonly lookUps: readonly LookUp[];
}

/** The setters of the facts that the target has fields for. */
function factSetters({ layout, parseTime, sources }: RowTarget, draft: DraftRow): FactSetters {
  const setters = new Map<string, Setter>();
  const lookUps: LookUp[] = [];
  const set = (name: string, field: string, parse: (value: unknown) => number): void => {
    if (!layout.has(field)) return;
    const place = layout.fieldOf(field);
    setters.set(name, (value) => {
      draft.values[draft.base + place] = parse(value);
    });
  };
  const parseMark = (value: unknown): number => (parseFlag(value) === 1 ? 1 : Number.NaN);
  set(FACT.firstAt, FIRST_AT, parseTime);
  set(FACT.isVisitTraffic, 'is_visit_traffic', parseMark);
  set(FACT.isBrowseDerived, 'is_browse_derived', parseMark);
  if (sources !== undefined) {
    const slot = draft.texts.push(null) - 1;
    lookUps.push({ field: layout.fieldOf('source_no'), dimension: sources.names, slots: [slot] });
    setters.set(FACT.sourceName, (value) => {
      draft.texts[slot] = parseText(value);
    });
  }
  return { setters, lookUps };
}
