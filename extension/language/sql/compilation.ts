import type { Dimension, Manifest } from '../../../manifests/reader/manifest';
import type { Dialect } from './dialect';
import { type Sql, table } from './sql';

export type Storage = Pick<Manifest, 'materials' | 'dimensions' | 'conversionTable'>;

/** The state shared by all parts of a statement while it is compiled. */
export interface Compilation {
  readonly dialect: Dialect;
  readonly storage: Storage;
  /** Returns a new alias with this prefix, unique within the statement. */
  readonly nextAlias: (prefix: string) => string;
}

export function materialTable(material: string, { materials }: Storage): Sql {
  const stored = materials.get(material)?.table;
  if (stored === undefined) throw new Error(`No table is known for the material ${material}.`);
  return table(stored);
}

export function dimensionOf(name: string, { dimensions }: Storage): Dimension {
  const dimension = dimensions.get(name);
  if (dimension === undefined) throw new Error(`No table is known for the dimension ${name}.`);
  return dimension;
}
