// The materials with stored rows.
import type { Manifest, Material, MaterialTime } from '../../../manifests/reader/manifest';

export interface StoredMaterial extends Material {
  readonly table: string;
  readonly time: MaterialTime;
}

/** The material whose rows have sessions and visitors. */
export const VIEWS = 'allpv';

/** Excludes families, whose rows are conversions or belong to another material. */
const isStored = (material: Material): material is StoredMaterial =>
  material.table !== undefined && material.time !== undefined && material.onePer === undefined;

/** Page views come first. */
export const storedMaterials = ({ materials }: Manifest): readonly StoredMaterial[] =>
  [...materials.values()].filter(isStored);

/** Throws an error if the material has no stored rows. */
export function storedMaterial(manifest: Manifest, name: string): StoredMaterial {
  const found = storedMaterials(manifest).find((one) => one.name === name);
  if (found === undefined) throw new Error(`Rows of ${name} are not stored.`);
  return found;
}

/** The field with the row id that imports record. */
export const rowIdOf = ({ rowId, unique }: Material): string => rowId ?? unique ?? 'row_id';
