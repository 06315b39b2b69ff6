// Remembers which materials have no rows on a site, by the version of its data.
import { LRUCache } from 'lru-cache';
import { materialsWithoutRows, type StoredRows } from '../data/storage/materials-without-rows';
import type { SiteState } from '../language/types/resolved-query';
import type { ScopeContext } from './load-scope';

const GOAL = /^goal_(\d+)$/;

/** A version is never reused, so entries stay valid. */
const known = new LRUCache<string, boolean>({ max: 10_000 });

/** Looks up only materials that are not yet known for this version. */
export async function emptyMaterials(
  names: readonly string[],
  { siteId, version }: SiteState,
  { database, manifest, signal }: Pick<ScopeContext, 'database' | 'manifest' | 'signal'>,
): Promise<ReadonlySet<string>> {
  const keyOf = (name: string) => `${version} ${name}`;
  const materials = [...new Set(names)].flatMap((name): readonly StoredRows[] => {
    const goal = GOAL.exec(name)?.[1];
    if (goal !== undefined) return [{ name, table: manifest.conversionTable, goal: Number(goal) }];
    const material = manifest.materials.get(name);
    // Data of the whole installation has no version. A listed event was observed, so it has rows.
    return material === undefined || material.administratorsOnly ? [] : [material];
  });
  const unknown = materials.filter(({ name }) => !known.has(keyOf(name)));
  if (unknown.length > 0) {
    const empty = await materialsWithoutRows(database, [siteId], unknown, signal);
    for (const { name } of unknown) known.set(keyOf(name), empty.has(name));
  }
  return new Set(materials.flatMap(({ name }) => (known.get(keyOf(name)) === true ? [name] : [])));
}
