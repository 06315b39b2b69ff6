// Remembers which materials have no rows on a site, by the version of its data.
import { LRUCache } from 'lru-cache';
import { materialsWithoutRows, type StoredRows } from '../data/storage/materials-without-rows';
import type { SiteState } from '../language/types/resolved-query';
import type { ScopeContext } from './load-scope';

const GOAL = /^goal_(\d+)$/;

interface Lookup extends Pick<ScopeContext, 'database'> {
  readonly siteId: number;
  readonly material: StoredRows;
}

/** A version is never reused, so entries stay valid. Queries at the same time share a lookup, so it has no signal of theirs. */
const known = new LRUCache<string, boolean, Lookup>({
  max: 10_000,
  async fetchMethod(_key, _known, { context: { database, siteId, material }, signal }) {
    const empty = await materialsWithoutRows(database, [siteId], [material], signal);
    return empty.has(material.name);
  },
});

/** Looks up each material once for each version. */
export async function emptyMaterials(
  names: readonly string[],
  { siteId, version }: SiteState,
  { database, manifest }: Pick<ScopeContext, 'database' | 'manifest'>,
): Promise<ReadonlySet<string>> {
  const materials = [...new Set(names)].flatMap((name): readonly StoredRows[] => {
    const goal = GOAL.exec(name)?.[1];
    if (goal !== undefined) return [{ name, table: manifest.conversionTable, goal: Number(goal) }];
    const material = manifest.materials.get(name);
    // Data of the whole installation has no version. A listed event was observed, so it has rows.
    return material === undefined || material.administratorsOnly ? [] : [material];
  });
  const empty = new Set<string>();
  for (const material of materials) {
    const { name } = material;
    const context = { database, siteId, material };
    if ((await known.fetch(`${version} ${name}`, { context })) === true) empty.add(name);
  }
  return empty;
}
