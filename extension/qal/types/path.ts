// Owns paths into a query: `['make', 'top', 'keep', 0]` <-> `make.top.keep[0]`.
export type Path = readonly (string | number)[];

/** The path as errors show it; undefined for the query itself. */
export function formatPath(path: Path): string | undefined {
  if (path.length === 0) return undefined;
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
}
