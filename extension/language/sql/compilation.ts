// The state that the parts of one statement share while it is compiled.
import type { Dimension, Manifest } from '../../../manifests/reader/manifest';
import type { Dialect } from './dialect';
import { type Sql, table } from './sql';

/** Maps materials and dimensions to tables. */
export type Storage = Pick<Manifest, 'materials' | 'dimensions' | 'conversionTable'>;

export interface Compilation {
  readonly dialect: Dialect;
  readonly storage: Storage;
  /** A new alias with this prefix, numbered through the statement. */
  readonly nextAlias: (prefix: string) => string;
}

/** The table of a material. Throws for a material whose rows are computed over a period. */
export function materialTable(material: string, { materials }: Storage): Sql {
  const stored = materials.get(material)?.table;
  if (stored === undefined) throw new Error(`No table is known for the material ${material}.`);
  return table(stored);
}

/** The dimension of this name. */
export function dimensionOf(name: string, { dimensions }: Storage): Dimension {
  const dimension = dimensions.get(name);
  if (dimension === undefined) throw new Error(`No table is known for the dimension ${name}.`);
  return dimension;
}
