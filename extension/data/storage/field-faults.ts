// Faults in sites and goals: where each one is, and how to fix it.
import { z } from 'zod';

const KINDS: Readonly<Record<string, string>> = {
  string: 'must be text; put it in quotes',
  boolean: 'must be true or false',
  int: 'must be a whole number',
  number: 'must be a whole number',
  array: 'must be a list',
  object: 'must be a mapping of keys to values',
};

type Issue = Parameters<z.core.$ZodErrorMap>[0];

export interface FieldFault {
  /** `sites[0].name`, `condition.url`; empty for the value as a whole. */
  readonly path: string;
  readonly message: string;
}

/** The faults of a value that was checked with `siteFault`. */
export const faultsOf = ({ issues }: z.ZodError): readonly FieldFault[] =>
  issues.map(({ path, message }) => ({ path: pathText(path), message }));

function pathText(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return steps.join('').replace(/^\./, '');
}

/** A schema for an object with exactly these keys. The fault for an unknown key lists them. */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `${issue.keys.join(', ')} is not a key here; the keys are ${Object.keys(shape).join(', ')}`
        : undefined,
  });
}

/** The message for an issue; undefined means zod's own. */
export function siteFault(issue: Issue): string | undefined {
  if (issue.code === 'invalid_type') {
    if ((issue.path ?? []).length === 0) return 'must begin with "sites:" and list the sites below it';
    return issue.input === undefined || issue.input === null ? 'is required' : KINDS[issue.expected];
  }
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'invalid_union' && Array.isArray(issue.options)) {
    return `must be one of ${issue.options.join(', ')}`;
  }
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`;
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}`;
  return undefined;
}
