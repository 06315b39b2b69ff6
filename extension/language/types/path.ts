/** A path into a query: `['make', 'top', 'keep', 0]`. */
export type Path = readonly (string | number)[];

const MAX_STEP_LENGTH = 120;

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
  step.length > MAX_STEP_LENGTH ? `${step.slice(0, MAX_STEP_LENGTH - 3)}...` : step;
