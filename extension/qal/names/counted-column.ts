// Owns which column of a material counts its rows: COUNT takes a column, and this one is never null.

const COUNTED: readonly (readonly [material: RegExp, column: string])[] = [
  [/^gsc$/, 'page_id'],
  [/^page_version$/, 'version_id'],
  [/^(ga4|summary)_/, 'tracking_id'],
  [/^/, 'pv_id'],
];

/** The column to count the rows of a material by. */
export const countedColumn = (material: string): string =>
  COUNTED.find(([pattern]) => pattern.test(material))?.[1] ?? 'pv_id';
