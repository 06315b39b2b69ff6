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

/** A source of columns: a material or an earlier view. Clauses treat both the same. */
export interface Source {
  /** The name used in errors. */
  readonly name: string;
  /** The names allowed before the dot: the source's name and, for a view, that of the material at the end of its chain. */
  readonly prefixes: readonly string[];
  readonly material: string;
  readonly keys: readonly string[];
  /** The number of material reads, counting the whole chain of views. */
  readonly reads: number;
  readonly columns: ReadonlyMap<string, SourceColumn>;
  readonly resolved: ResolvedSource;
}

interface SourceColumn {
  readonly bound: BoundColumn;
  readonly feature: string | undefined;
}

const materialSources = new WeakMap<Material, Source>();

/** Cached, since binding many columns takes time. */
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
  const source = {
    name,
    prefixes: [name],
    material: name,
    keys: [...material.join.keys()],
    reads: 1,
    columns,
    resolved: rowsOf(material, []),
  };
  materialSources.set(material, source);
  return source;
}

export const goalMaterial = (family: Material, goal: number): Material => ({
  ...family,
  name: goalName(goal),
  row: family.row.replace('goal N', `goal ${goal}`),
});

export function goalSource(family: Material, goal: number): Source {
  const material = goalMaterial(family, goal);
  const column = hidden('goal_no', 'int', { kind: 'field', field: 'goal_no' });
  const only = [{ column, test: { operator: 'eq', value: goal } }] as const;
  return { ...materialSource(material), resolved: rowsOf(material, only) };
}

export function eventMaterial(
  family: Material,
  event: string,
  parameters: ReadonlyMap<string, 'number' | 'string'>,
): Material {
  const columns = [...parameters].map(([name, parameter]): [string, Column] => {
    const type = parameter === 'number' ? 'num' : 'text';
    return [name, { name, param: name, type, nullable: true, about: 'A parameter of the event.' }];
  });
  return { ...family, name: eventName(event), columns: new Map([...columns, ...family.columns]) };
}

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
    time: time === undefined ? null : { field: time.field, grain: time.grain, period: time.period },
    joinedAlways,
    order: [
      ...order.map((key) => bindColumn(material, columnOf(material, key))),
      ...(rowId === undefined ? [] : [hidden(rowId, 'id', { kind: 'field', field: rowId })]),
    ],
    only,
  };
}

/** A stored field that queries cannot name, since names of columns and event parameters never contain a colon. */
const hidden = (field: string, type: BoundColumn['type'], origin: StoredOrigin): BoundColumn => ({
  name: `:${field}`,
  side: 'from',
  type,
  nullable: false,
  isKey: false,
  origin,
});

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
