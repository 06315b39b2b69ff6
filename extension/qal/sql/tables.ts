// The tables behind materials and dimensions, as manifests/storage.yaml has them.
import { type Dimension, loadManifest } from '../../../manifests/reader/manifest';

const manifest = loadManifest();

/** Which sessions converted on which goal. */
export const CONVERSION_TABLE = manifest.conversionTable;

/** The table of a material, in schema analytics. Throws for one whose rows are computed over a period. */
export function materialTable(material: string): string {
  const table = manifest.materials.get(material)?.table;
  if (table === undefined) throw new Error(`No table is known for the material ${material}.`);
  return table;
}

/** The dimension of this name. */
export function dimensionTable(name: string): Dimension {
  const dimension = manifest.dimensions.get(name);
  if (dimension === undefined) throw new Error(`No table is known for the dimension ${name}.`);
  return dimension;
}
