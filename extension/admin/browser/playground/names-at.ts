// The names that can stand at a place of a query: those of the catalogue, and those that the query itself defines.
// Names are offered, not checked: the server alone decides what they mean.
import type { Node } from 'jsonc-parser';
import type { Catalogue, CatalogueColumn, CatalogueSite } from './catalogue';
import { itemsOf, memberOf, membersOf, nodeAt, type Step, stringOf, stringsOf } from './query-text';

export interface Name {
  readonly name: string;
  readonly about: string;
}

export interface Place {
  readonly path: readonly Step[];
  readonly query: Node | undefined;
  readonly catalogue: Catalogue;
  readonly sites: readonly CatalogueSite[];
}

type Column = Pick<CatalogueColumn, 'name' | 'type' | 'about' | 'values'>;

const viewAt = ({ query, path }: Place): Node | undefined =>
  path[0] === 'make' ? nodeAt(query, path.slice(0, 2)) : undefined;

const fromOf = (view: Node | undefined): string => stringsOf(memberOf(view, 'from'))[0] ?? '';
const joinedOf = (view: Node | undefined): string => stringOf(nodeAt(view, ['join', 'with'])) ?? '';

const materialOf = ({ catalogue }: Place, name: string) =>
  catalogue.materials.find((material) => material.name === name);

/** Views that this place may read from: those before its own. */
function earlierViews({ query, path }: Place): readonly string[] {
  const names = membersOf(memberOf(query, 'make')).map(({ name }) => name);
  return path[0] === 'make' ? names.slice(0, names.indexOf(String(path[1]))) : names;
}

/** Output columns of a view; of what type they are, only the server knows. */
function outputOf(view: Node | undefined): readonly Column[] {
  const kept = stringsOf(memberOf(view, 'keep')).map((about) => ({
    name: about.slice(about.lastIndexOf('.') + 1),
    about,
  }));
  const calculated = membersOf(memberOf(view, 'calc')).map(({ name, value }) => ({
    name,
    about: stringOf(value) ?? '',
  }));
  return [...kept, ...calculated].map((column) => ({ ...column, type: '' }));
}

/** Columns of a material or of an earlier view. */
function columnsOf(place: Place, source: string): readonly Column[] {
  return earlierViews(place).includes(source)
    ? outputOf(nodeAt(place.query, ['make', source]))
    : (materialOf(place, source)?.columns ?? []);
}

/** The material behind a view that reads from views. */
function baseOf(place: Place, source: string): string {
  const views = earlierViews(place);
  const seen = new Set<string>();
  let base = source;
  while (views.includes(base) && !seen.has(base)) {
    seen.add(base);
    base = fromOf(nodeAt(place.query, ['make', base]));
  }
  return base;
}

const named = ({ name, type, about }: Column, prefix = ''): Name => ({
  name: prefix === '' ? name : `${prefix}.${name}`,
  about: type === '' ? about : `${type}: ${about}`,
});

function sourceColumns(place: Place, isWanted: (column: Column) => boolean = () => true): readonly Name[] {
  const view = viewAt(place);
  return [fromOf(view), joinedOf(view)].flatMap((source) =>
    columnsOf(place, source)
      .filter(isWanted)
      .map((column) => named(column, source)),
  );
}

function materialNames({ catalogue: { materials, goals } }: Place): readonly Name[] {
  return materials.map(({ name, about }) => {
    const goal = goals.find(({ material }) => material === name);
    return { name, about: goal === undefined ? about : `Goal ${goal.id}: ${goal.name}` };
  });
}

const listedMaterials = ({ query }: Place): readonly string[] =>
  itemsOf(memberOf(query, 'materials')).flatMap((item) => stringOf(memberOf(item, 'name')) ?? []);

const viewNames = (place: Place): readonly Name[] =>
  earlierViews(place).map((name) => {
    const columns = outputOf(nodeAt(place.query, ['make', name])).map((column) => column.name);
    return { name, about: `View: ${columns.join(', ') || 'no columns'}` };
  });

/** Materials of the query (of the site, before any is listed) and earlier views. */
function sources(place: Place): readonly Name[] {
  const listed = listedMaterials(place);
  const materials = materialNames(place).filter(({ name }) => listed.length === 0 || listed.includes(name));
  return [...materials, ...viewNames(place)];
}

/** Columns by which both sides can be joined. */
function joinKeys(place: Place, source: string, prefix: string): readonly Name[] {
  const view = viewAt(place);
  const [left, right] = [fromOf(view), joinedOf(view)].map(
    (side) => materialOf(place, baseOf(place, side))?.join ?? [],
  );
  return columnsOf(place, source)
    .filter(({ name }) => left?.includes(name) && right?.includes(name))
    .map((column) => named(column, prefix));
}

const filteredColumn = (place: Place): Column | undefined =>
  columnsOf(place, fromOf(viewAt(place))).find(({ name }) => name === place.path[3]);

function knownValues(place: Place): readonly Name[] {
  const column = filteredColumn(place);
  return (column?.values ?? []).map((name) => ({ name, about: column?.about ?? '' }));
}

const days = ({ catalogue: { first_day, last_day } }: Place): readonly Name[] => [
  ...(first_day === null ? [] : [{ name: `${first_day}T00:00:00`, about: 'The first day with data' }]),
  ...(last_day === null ? [] : [{ name: `${last_day}T00:00:00`, about: 'The last day with data' }]),
];

/** `*` stands for any key or index. */
const VALUES: Readonly<Record<string, (place: Place) => readonly Name[]>> = {
  tracking_id: ({ sites, catalogue }) => [
    ...sites.map(({ tracking_id, name }) => ({ name: tracking_id, about: name })),
    ...(catalogue.all_sites ? [{ name: 'all', about: 'All sites that you may see' }] : []),
  ],
  'materials.*.name': (place) =>
    materialNames(place).filter(({ name }) => !listedMaterials(place).includes(name)),
  'time.start': days,
  'time.end': days,
  'time.tz': ({ catalogue }) => [{ name: catalogue.timezone, about: 'The time zone of the site' }],
  'make.*.from.*': sources,
  'make.*.keep.*': (place) => sourceColumns(place),
  'make.*.filter.*': knownValues,
  'make.*.filter.*.*': knownValues,
  'make.*.filter.*.*.*': knownValues,
  'make.*.join.with': (place) => sources(place).filter(({ name }) => name !== fromOf(viewAt(place))),
  'make.*.join.on.*.left': (place) => {
    const from = fromOf(viewAt(place));
    return joinKeys(place, from, baseOf(place, from));
  },
  'make.*.join.on.*.right': (place) => {
    const joined = joinedOf(viewAt(place));
    return joinKeys(place, joined, joined);
  },
  'make.*.add.*': (place) => {
    const view = viewAt(place);
    const added = stringsOf(memberOf(view, 'add'));
    return membersOf(memberOf(view, 'calc'))
      .filter(({ name }) => !added.includes(name))
      .map(({ name, value }) => ({ name, about: stringOf(value) ?? '' }));
  },
  'make.*.sort.by': (place) => outputOf(viewAt(place)).map((column) => named(column)),
  'result.use': viewNames,
};

export function isAt(path: readonly Step[], pattern: string): boolean {
  const steps = pattern.split('.');
  return steps.length === path.length && steps.every((step, i) => step === '*' || step === path[i]);
}

/** Names that can be the value at a place. */
export function valuesAt(place: Place): readonly Name[] {
  const found = Object.entries(VALUES).find(([pattern]) => isAt(place.path, pattern));
  return found?.[1](place) ?? [];
}

/** Columns that can be keys of the object at a place. */
export const columnKeysAt = (place: Place): readonly Name[] =>
  isAt(place.path, 'make.*.filter')
    ? columnsOf(place, fromOf(viewAt(place))).map((column) => named(column))
    : [];

/** Columns that a function of calc takes; all columns where the function is unknown. */
export function functionColumns(place: Place, word: string): readonly Name[] {
  const types = place.catalogue.functions.find(({ name }) => name === word.toUpperCase())?.types;
  return sourceColumns(place, ({ type }) => type === '' || types === undefined || types.includes(type));
}

/** Whether an operator suits the filtered column; yes where either is unknown. */
export function suitsColumn(operator: string, place: Place): boolean {
  if (!isAt(place.path, 'make.*.filter.*')) return true;
  const type = filteredColumn(place)?.type ?? '';
  const types = place.catalogue.operators.find(({ name }) => name === operator)?.types;
  return type === '' || types === undefined || types.includes(type);
}
