// Names that can be used at a position in a query: those in the catalog and those that the query defines. They are
// suggestions: only the server checks names.
import type { Node } from 'jsonc-parser';
import type {
  Catalogue,
  CatalogueColumn,
  CatalogueMaterial,
  CatalogueSite,
} from '../../shared-types/catalogue';
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

interface Source {
  readonly name: string;
  readonly columns: readonly CatalogueColumn[];
  readonly base: CatalogueMaterial | undefined;
  readonly isView: boolean;
}

const viewAt = ({ query, path }: Place): Node | undefined =>
  path[0] === 'make' ? nodeAt(query, path.slice(0, 2)) : undefined;

const fromOf = (view: Node | undefined): string => stringsOf(memberOf(view, 'from'))[0] ?? '';

/** The views before the current one; outside a view, all views. */
function earlierViews({ query, path }: Place): readonly string[] {
  const names = membersOf(memberOf(query, 'make')).map(({ name }) => name);
  return path[0] === 'make' ? names.slice(0, names.indexOf(String(path[1]))) : names;
}

/** Output columns of a view. Only the server knows their types. */
function outputOf(view: Node | undefined): readonly CatalogueColumn[] {
  const kept = stringsOf(memberOf(view, 'keep')).map((about) => ({
    name: about.slice(about.lastIndexOf('.') + 1),
    about,
    type: '',
  }));
  const calculated = membersOf(memberOf(view, 'calc')).map(({ name, value }) => ({
    name,
    about: stringOf(value) ?? '',
    type: '',
  }));
  return [...kept, ...calculated];
}

function sourceAt(place: Place, name: string): Source | undefined {
  if (earlierViews(place).includes(name)) {
    const path = ['make', name];
    const view = nodeAt(place.query, path);
    return {
      name,
      columns: outputOf(view),
      base: sourceAt({ ...place, path }, fromOf(view))?.base,
      isView: true,
    };
  }
  const base = place.catalogue.materials.find((material) => material.name === name);
  return base && { name, columns: base.columns, base, isView: false };
}

const fromSource = (place: Place): Source | undefined => sourceAt(place, fromOf(viewAt(place)));

const joinedSource = (place: Place): Source | undefined =>
  sourceAt(place, stringOf(nodeAt(viewAt(place), ['join', 'with'])) ?? '');

const nameOf = ({ name, type, about }: CatalogueColumn, prefix = ''): Name => ({
  name: prefix === '' ? name : `${prefix}.${name}`,
  about: type === '' ? about : `${type}: ${about}`,
});

/** Columns of both sides for which `allows` returns true. */
const columnNames = (place: Place, allows: (column: CatalogueColumn) => boolean): readonly Name[] =>
  [fromSource(place), joinedSource(place)].flatMap((source) =>
    (source?.columns ?? []).filter(allows).map((column) => nameOf(column, source?.name)),
  );

/** Columns of one side that a join can use: all columns of a view, but only the declared keys of a dataset. */
function joinKeys(place: Place, side: Source | undefined, prefix = side?.name): readonly Name[] {
  const sides = [fromSource(place), joinedSource(place)];
  const materials = sides.flatMap((source) => (source === undefined || source.isView ? [] : [source]));
  const isKey = (name: string): boolean => materials.every(({ base }) => base?.join.includes(name));
  const keys = (side?.columns ?? []).filter(({ name }) => side?.isView === true || isKey(name));
  return keys.map((column) => nameOf(column, prefix));
}

const listedMaterials = ({ query }: Place): readonly string[] =>
  itemsOf(memberOf(query, 'materials')).flatMap((item) => stringOf(memberOf(item, 'name')) ?? []);

const materialNames = ({ catalogue: { materials, goals } }: Place): readonly Name[] =>
  materials.map(({ name, about }) => {
    const goal = goals.find(({ material }) => material === name);
    return { name, about: goal === undefined ? about : `Goal ${goal.id}: ${goal.name}` };
  });

const viewNames = (place: Place): readonly Name[] =>
  earlierViews(place).map((name) => {
    const columns = outputOf(nodeAt(place.query, ['make', name])).map((column) => column.name);
    return { name, about: `View: ${columns.join(', ') || 'no columns'}` };
  });

/** The query's datasets (all of the site's datasets if none is listed yet) and earlier views. */
function sourceNames(place: Place): readonly Name[] {
  const listed = listedMaterials(place);
  const materials = materialNames(place).filter(({ name }) => listed.length === 0 || listed.includes(name));
  return [...materials, ...viewNames(place)];
}

/** The path without nested lists of filters, because the same names are valid inside and outside them. */
function plainPath({ path }: Place): readonly Step[] {
  const clause = path[2] === 'calc' && path[4] === 'filter' ? 4 : 2;
  let start = clause + 1;
  while ((path[start] === 'any' || path[start] === 'none') && typeof path[start + 1] === 'number') start += 2;
  return path[clause] === 'filter' ? [...path.slice(0, 2), 'filter', ...path.slice(start)] : path;
}

/**
 * The sides that a filter applies to: the `from` side or, in a calc, the side that its expression reads. Both sides if the
 * expression reads neither yet.
 */
function filteredSources(place: Place): readonly Source[] {
  const [from, joined] = [fromSource(place), joinedSource(place)];
  const [, , clause, calc = ''] = place.path;
  const expression = clause === 'calc' ? stringOf(nodeAt(viewAt(place), ['calc', calc, 'of'])) : undefined;
  const [, prefix] = /([^\s(),+*/-]+)\.\w/.exec(expression ?? '') ?? [];
  const readsFrom = clause !== 'calc' || prefix === from?.name || prefix === from?.base?.name;
  const sides = readsFrom ? [from] : prefix === joined?.name ? [joined] : [from, joined];
  return sides.filter((source) => source !== undefined);
}

const filteredColumns = (place: Place): readonly CatalogueColumn[] => [
  ...new Map(
    filteredSources(place)
      .flatMap(({ columns }) => columns)
      .map((column) => [column.name, column]),
  ).values(),
];

const filteredColumn = (place: Place): CatalogueColumn | undefined =>
  filteredColumns(place).find(({ name }) => name === plainPath(place)[3]);

const comparedColumns = (place: Place): readonly Name[] => {
  const filtered = filteredColumn(place);
  return filteredColumns(place)
    .filter((column) => column !== filtered && column.type === (filtered?.type ?? column.type))
    .map((column) => nameOf(column));
};

const knownValues = (place: Place): readonly Name[] =>
  (filteredColumn(place)?.values ?? []).map((name) => ({ name, about: filteredColumn(place)?.about ?? '' }));

const dayNames = ({ catalogue: { first_day, last_day } }: Place): readonly Name[] => [
  ...(first_day === null ? [] : [{ name: `${first_day}T00:00:00`, about: 'The first day with data' }]),
  ...(last_day === null ? [] : [{ name: `${last_day}T00:00:00`, about: 'The last day with data' }]),
];

const outputNames = (place: Place): readonly Name[] =>
  outputOf(viewAt(place)).map((column) => nameOf(column));

/** `*` matches any key or index. */
const VALUES: Readonly<Record<string, (place: Place) => readonly Name[]>> = {
  tracking_id: ({ sites, catalogue }) => [
    ...sites.map(({ tracking_id, name }) => ({ name: tracking_id, about: name })),
    ...(catalogue.all_sites ? [{ name: 'all', about: 'All sites that you have access to' }] : []),
  ],
  'materials.*.name': (place) =>
    materialNames(place).filter(({ name }) => !listedMaterials(place).includes(name)),
  'time.start': dayNames,
  'time.end': dayNames,
  'time.tz': ({ catalogue }) => [{ name: catalogue.timezone, about: 'The time zone of the site' }],
  'make.*.time.start': dayNames,
  'make.*.time.end': dayNames,
  'make.*.from.*': sourceNames,
  'make.*.keep.*': (place) => columnNames(place, () => true),
  'make.*.filter.*.*.column': comparedColumns,
  'make.*.filter.*': knownValues,
  'make.*.filter.*.*': knownValues,
  'make.*.filter.*.*.*': knownValues,
  'make.*.join.with': (place) => sourceNames(place).filter(({ name }) => name !== fromOf(viewAt(place))),
  'make.*.join.on.*.left': (place) => joinKeys(place, fromSource(place), fromSource(place)?.base?.name),
  'make.*.join.on.*.right': (place) => joinKeys(place, joinedSource(place)),
  'make.*.add.*': (place) => {
    const view = viewAt(place);
    const added = stringsOf(memberOf(view, 'add'));
    return membersOf(memberOf(view, 'calc'))
      .filter(({ name }) => !added.includes(name))
      .map(({ name, value }) => ({ name, about: stringOf(value) ?? '' }));
  },
  'make.*.sort.by': outputNames,
  'make.*.sort.then.*.by': outputNames,
  'make.*.sort.per.*': outputNames,
  'make.*.fill_periods': outputNames,
  'result.use': viewNames,
};

export function isAt(path: readonly Step[], pattern: string): boolean {
  const steps = pattern.split('.');
  return steps.length === path.length && steps.every((step, i) => step === '*' || step === path[i]);
}

export function valuesAt(place: Place): readonly Name[] {
  const found = Object.entries(VALUES).find(([pattern]) => isAt(plainPath(place), pattern));
  return found?.[1](place) ?? [];
}

export const columnKeysAt = (place: Place): readonly Name[] =>
  isAt(plainPath(place), 'make.*.filter') ? filteredColumns(place).map((column) => nameOf(column)) : [];

/** All columns if the function is unknown. */
export function functionColumns(place: Place, word: string): readonly Name[] {
  const types = place.catalogue.functions.find(({ name }) => name === word.toUpperCase())?.types;
  return columnNames(place, ({ type }) => type === '' || (types?.includes(type) ?? true));
}

/** Whether an operator suits the filtered column; true if either is unknown. */
export function suitsColumn(operator: string, place: Place): boolean {
  if (!isAt(plainPath(place), 'make.*.filter.*')) return true;
  const type = filteredColumn(place)?.type ?? '';
  const types = place.catalogue.operators.find(({ name }) => name === operator)?.types;
  return type === '' || (types?.includes(type) ?? true);
}
