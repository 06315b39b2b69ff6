// What the columns of a view are looked up in: a material or an earlier view, which look the same to every clause.
import { eventName, goalName } from '../../../manifests/reader/catalog';
import type { Column, Material } from '../../../manifests/reader/manifest';
import type {
  BoundColumn,
  MaterialSource,
  ResolvedSource,
  ResolvedValueCondition,
  ResolvedView,
  StoredOrigin,
} from '../types/resolved-query';
import { bindColumn, columnOf } from './bind-column';

export interface Source {
  /** Its name in errors. */
  readonly name: string;
  /** Allowed before the dot: the view's own name, and the material behind it. */
  readonly prefixes: readonly string[];
  /** The material that its rows come from. */
  readonly material: string;
  /** The join keys that this material declares. */
  readonly keys: readonly string[];
  /** How often it reads rows of materials, through all views. */
  readonly reads: number;
  readonly columns: ReadonlyMap<string, SourceColumn>;
  readonly resolved: ResolvedSource;
}

interface SourceColumn {
  readonly bound: BoundColumn;
  /** The flag that must be on. */
  readonly feature: string | undefined;
}

const materialSources = new WeakMap<Material, Source>();

/** The rows of a material, cached: it has many columns to bind. */
export function materialSource(material: Material): Source {
  const known = materialSources.get(material);
  if (known !== undefined) return known;
  const { name } = material;
  const columns = new Map(
    [...material.columns].map(([key, column]) => [
      key,
      { bound: bindColumn(material, column), feature: column.feature },
    ]),
  );
  const keys = [...material.join.keys()];
  const source = {
    name,
    prefixes: [name],
    material: name,
    keys,
    reads: 1,
    columns,
    resolved: rowsOf(material, []),
  };
  materialSources.set(material, source);
  return source;
}

/** One goal as a material of its own. */
export const goalMaterial = (family: Material, goal: number): Material => ({
  ...family,
  name: goalName(goal),
});

/** The rows of one goal out of those of all goals. */
export function goalSource(family: Material, goal: number): Source {
  const material = goalMaterial(family, goal);
  const column = hidden('goal_no', 'int', { kind: 'field', field: 'goal_no' });
  const only = [{ column, test: { operator: 'eq', value: goal } }] as const;
  return { ...materialSource(material), resolved: rowsOf(material, only) };
}

/** One event as a material of its own, with its parameters as columns. */
export function eventMaterial(
  family: Material,
  event: string,
  parameters: ReadonlyMap<string, 'number' | 'string'>,
): Material {
  const columns = [...parameters].map(([name, type]): [string, Column] => [
    name,
    {
      name,
      param: name,
      type: type === 'number' ? 'num' : 'text',
      nullable: true,
      about: 'A parameter of the event.',
    },
  ]);
  return { ...family, name: eventName(event), columns: new Map([...columns, ...family.columns]) };
}

/** The rows of one event. */
export function eventSource(
  family: Material,
  event: string,
  parameters: ReadonlyMap<string, 'number' | 'string'>,
): Source {
  const material = eventMaterial(family, event, parameters);
  const column = hidden('event_name', 'text', {
    kind: 'lookup',
    dimension: 'event_name',
    key: 'event_name_id',
    field: 'event_name',
    bit: null,
  });
  const only = [{ column, test: { operator: 'eq', value: event } }] as const;
  return { ...materialSource(material), resolved: rowsOf(material, only) };
}

function rowsOf(material: Material, only: readonly ResolvedValueCondition[]): MaterialSource {
  const { name, kind, time, joinedAlways, order, rowId } = material;
  return {
    kind: 'material',
    material: name,
    rows: kind,
    time: time === undefined ? null : { field: time.field, grain: time.grain },
    joinedAlways,
    order: [
      ...order.map((key) => bindColumn(material, columnOf(material, key))),
      ...(rowId === undefined ? [] : [hidden(rowId, 'id', { kind: 'field', field: rowId })]),
    ],
    only,
  };
}

/** A stored field that is no column; no column has a colon in its name, not even a parameter of an event. */
const hidden = (field: string, type: BoundColumn['type'], origin: StoredOrigin): BoundColumn => ({
  name: `:${field}`,
  side: 'from',
  type,
  nullable: false,
  isKey: false,
  origin,
});

/** The output of an earlier view; its own sources stay reachable by name, back to the material. */
export function viewSource(view: ResolvedView): Source {
  const columns = new Map(
    view.output.map((output): [string, SourceColumn] => [
      output.name,
      {
        bound: { ...output, side: 'from', origin: { kind: 'output', view: view.name } },
        feature: undefined,
      },
    ]),
  );
  return {
    name: view.name,
    prefixes: [view.name, view.material],
    material: view.material,
    keys: view.keys,
    reads: view.reads,
    columns,
    resolved: { kind: 'view', view: view.name },
  };
}
