// Columns that occur only in exported files: facts that are not columns of a material, and derived values for
// human readers, which are not imported.

export const FACT = {
  sourceName: 'fact.source_name',
  /** When a visitor was first seen, if their first view was removed because of its age. */
  firstAt: 'fact.first_at',
  isVisitTraffic: 'fact.is_visit_traffic',
  isBrowseDerived: 'fact.is_browse_derived',
} as const;

const DERIVED = 'derived.';
export const derivedName = (name: string): string => `${DERIVED}${name}`;
export const isDerivedName = (name: string): boolean => name.startsWith(DERIVED);
