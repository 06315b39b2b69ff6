// Which names of the site and of the query itself can stand at a place: the table below, a row for each kind of place.
// `*` in a place is any key or index. What the schema alone can tell (keys, fixed words) is not here.
import type { Node } from 'jsonc-parser';
import type { Catalogue, CatalogueColumn, CatalogueSite } from './catalogue';
import { listedMaterials, type NamedView, type Side, viewsOf } from './query-names';
import { memberOf, membersOf, nodeAt, type Step, stringsOf } from './query-text';

/** Something that can be written, and what it is. */
export interface Name {
  readonly name: string;
  readonly detail: string;
}

export interface Surroundings {
  readonly query: Node | undefined;
  readonly catalogue: Catalogue;
  readonly sites: readonly CatalogueSite[];
}

interface Place extends Surroundings {
  readonly path: readonly Step[];
  readonly views: readonly NamedView[];
  /** The view that the place lies in. */
  readonly view: NamedView | undefined;
}

type NamesOf = (place: Place) => readonly Name[];

const shown = ({ name, type, about }: CatalogueColumn, prefix = ''): Name => ({
  name: prefix + name,
  detail: type === '' ? about : `${type}: ${about}`,
});

const columnsOf = (side: Side | undefined, prefix = side?.prefix): readonly Name[] =>
  (side?.columns ?? []).map((column) => shown(column, prefix === undefined ? '' : `${prefix}.`));

const ofBothSides: NamesOf = ({ view }) => [...columnsOf(view?.from), ...columnsOf(view?.joined)];

const materialNames = ({ catalogue: { materials, goals } }: Surroundings): readonly Name[] =>
  materials.map(({ name, about }) => {
    const goal = goals.find(({ material }) => material === name);
    return { name, detail: goal === undefined ? about : `Goal ${goal.id}: ${goal.name}` };
  });

const viewNames = (views: readonly NamedView[]): readonly Name[] =>
  views.map(({ name, output }) => ({
    name,
    detail: `View: ${output.map((column) => column.name).join(', ') || 'without columns'}`,
  }));

/** What a view can read: the materials of the query (of the site, before any is listed), and the views before it. */
const sourceNames: NamesOf = (place) => {
  const listed = listedMaterials(place.query);
  const materials = materialNames(place).filter(({ name }) => listed.length === 0 || listed.includes(name));
  return [...materials, ...viewNames(viewsBefore(place))];
};

function viewsBefore({ views, view }: Place): readonly NamedView[] {
  return view === undefined ? views : views.slice(0, views.indexOf(view));
}

/** The columns that both sides of a join may be joined by. */
function joinKeys({ view }: Place, side: Side | undefined, prefix: string | undefined): readonly Name[] {
  const other = side === view?.from ? view?.joined : view?.from;
  const keys = (side?.join ?? []).filter((key) => other === undefined || other.join.includes(key));
  return columnsOf(side, prefix).filter(({ name }) => keys.includes(name.slice(name.lastIndexOf('.') + 1)));
}

function filteredColumn({ view, path }: Place): CatalogueColumn | undefined {
  return view?.from?.columns.find(({ name }) => name === path[3]);
}

const knownValues: NamesOf = (place) => {
  const column = filteredColumn(place);
  return (column?.values ?? []).map((name) => ({ name, detail: column?.about ?? '' }));
};

const days: NamesOf = ({ catalogue: { first_day, last_day } }) => [
  ...(first_day === null ? [] : [{ name: `${first_day}T00:00:00`, detail: 'The first day with data' }]),
  ...(last_day === null ? [] : [{ name: `${last_day}T00:00:00`, detail: 'The last day with data' }]),
];

const outputNames: NamesOf = ({ view }) => (view?.output ?? []).map((column) => shown(column));

const VALUES: readonly (readonly [place: string, names: NamesOf])[] = [
  [
    'tracking_id',
    ({ sites, catalogue }) => [
      ...sites.map(({ tracking_id, name }) => ({ name: tracking_id, detail: name })),
      ...(catalogue.all_sites ? [{ name: 'all', detail: 'All sites that you may see' }] : []),
    ],
  ],
  [
    'materials.*.name',
    (place) => {
      const listed = listedMaterials(place.query);
      return materialNames(place).filter(({ name }) => !listed.includes(name));
    },
  ],
  ['time.start', days],
  ['time.end', days],
  ['time.tz', ({ catalogue }) => [{ name: catalogue.timezone, detail: 'The time zone of the site' }]],
  ['make.*.from.*', sourceNames],
  ['make.*.keep.*', ofBothSides],
  ['make.*.filter.*', knownValues],
  ['make.*.filter.*.*', knownValues],
  ['make.*.filter.*.*.*', knownValues],
  ['make.*.join.with', (place) => sourceNames(place).filter(({ name }) => name !== place.view?.from?.prefix)],
  ['make.*.join.on.*.left', (place) => joinKeys(place, place.view?.from, place.view?.from?.material)],
  ['make.*.join.on.*.right', (place) => joinKeys(place, place.view?.joined, place.view?.joined?.prefix)],
  [
    'make.*.add.*',
    ({ query, path }) => {
      const view = nodeAt(query, path.slice(0, 2));
      const added = stringsOf(memberOf(view, 'add'));
      return membersOf(memberOf(view, 'calc'))
        .filter(({ name }) => !added.includes(name))
        .map(({ name, value }) => ({ name, detail: String(value?.value ?? '') }));
    },
  ],
  ['make.*.sort.by', outputNames],
  ['result.use', ({ views }) => viewNames(views)],
];

const KEYS: readonly (readonly [place: string, names: NamesOf])[] = [
  ['make.*.filter', ({ view }) => (view?.from?.columns ?? []).map((column) => shown(column))],
];

const isAt = (path: readonly Step[], place: string): boolean => {
  const steps = place.split('.');
  return steps.length === path.length && steps.every((step, i) => step === '*' || step === path[i]);
};

function placeAt(path: readonly Step[], surroundings: Surroundings): Place {
  const views = viewsOf(surroundings.query, surroundings.catalogue);
  const view = path[0] === 'make' ? views.find(({ name }) => name === path[1]) : undefined;
  return { ...surroundings, path, views, view };
}

const namesIn = (table: typeof VALUES, path: readonly Step[], surroundings: Surroundings): readonly Name[] =>
  table.find(([place]) => isAt(path, place))?.[1](placeAt(path, surroundings)) ?? [];

/** The names that can be the value at a place. */
export const valuesAt = (path: readonly Step[], surroundings: Surroundings): readonly Name[] =>
  namesIn(VALUES, path, surroundings);

/** The names that can be keys of the object at a place. */
export const namedKeysAt = (path: readonly Step[], surroundings: Surroundings): readonly Name[] =>
  namesIn(KEYS, path, surroundings);

/** Whether a place holds a calculation. */
export const isCalcPlace = (path: readonly Step[]): boolean => isAt(path, 'make.*.calc.*');

/** The columns that a function can be applied to there; all of them for an unknown function. */
export function calcColumns(
  word: string,
  path: readonly Step[],
  surroundings: Surroundings,
): readonly Name[] {
  const types = surroundings.catalogue.functions.find(({ name }) => name === word.toUpperCase())?.types;
  const { view } = placeAt(path, surroundings);
  const fitting = (side: Side | undefined) =>
    side && {
      ...side,
      columns: side.columns.filter(({ type }) => type === '' || (types?.includes(type) ?? true)),
    };
  return [...columnsOf(fitting(view?.from)), ...columnsOf(fitting(view?.joined))];
}

/** Whether an operator can be used on the column of that filter; yes where either is unknown. */
export function operatorFits(operator: string, path: readonly Step[], surroundings: Surroundings): boolean {
  if (!isAt(path, 'make.*.filter.*')) return true;
  const type = filteredColumn(placeAt(path, surroundings))?.type ?? '';
  const known = surroundings.catalogue.operators.find(({ name }) => name === operator);
  return type === '' || known === undefined || known.types.includes(type);
}
