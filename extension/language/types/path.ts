/** A path into a query: `['make', 'top', 'keep', 0]`. */
export type Path = readonly (string | number)[];

const LONGEST_STEP = 120;

/** `make.top.keep[0]`, with long names shortened; undefined for the query itself. */
export function formatPath(path: Path): string | undefined {
  if (path.length === 0) return undefined;
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index === 0 ? brief(step) : `.${brief(step)}`,
    )
    .join('');
}

const brief = (step: string): string =>
  step.length > LONGEST_STEP ? `${step.slice(0, LONGEST_STEP - 3)}...` : step;
