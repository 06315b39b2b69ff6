// Owns what the columns of a view are looked up in: a material, or an earlier view.
// Both answer alike, so that no clause asks which of the two it reads.
import type { Material } from '../../../manifests/reader/manifest';
import type { BoundColumn, ResolvedSource, ResolvedView } from '../types/resolved-query';
import { bindColumn, columnOf } from './bind-column';

export interface Source {
  /** How errors call it. */
  readonly name: string;
  /** What may stand before the dot: the view's own name, and the material that it was made from. */
  readonly prefixes: readonly string[];
  readonly columns: ReadonlyMap<string, SourceColumn>;
  readonly resolved: ResolvedSource;
}

export interface SourceColumn {
  readonly bound: BoundColumn;
  /** The flag that must be on. */
  readonly feature: string | undefined;
}

const materialSources = new WeakMap<Material, Source>();

/** The rows of a material. The same object each time: a material has many columns to bind. */
export function materialSource(material: Material): Source {
  const known = materialSources.get(material);
  if (known !== undefined) return known;
  const { name, time, order } = material;
  const columns = new Map(
    [...material.columns].map(([key, column]) => [
      key,
      { bound: bindColumn(material, column), feature: column.feature },
    ]),
  );
  const source: Source = {
    name,
    prefixes: [name],
    columns,
    resolved: {
      kind: 'material',
      material: name,
      timeField: time.field,
      order: order.map((key) => bindColumn(material, columnOf(material, key))),
    },
  };
  materialSources.set(material, source);
  return source;
}

/** The output of an earlier view; its own sources stay reachable by name, back to the material. */
export function viewSource(view: ResolvedView): Source {
  const columns = new Map(
    view.output.map(({ name, type, nullable }): [string, SourceColumn] => [
      name,
      { bound: { name, type, nullable, origin: { kind: 'output', view: view.name } }, feature: undefined },
    ]),
  );
  return {
    name: view.name,
    prefixes: [view.name, view.material],
    columns,
    resolved: { kind: 'view', view: view.name },
  };
}
