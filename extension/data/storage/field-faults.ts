// Converts zod issues in sites and goals to paths and messages.
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
  /** For example `sites[0].name`; empty for the whole value. */
  readonly path: string;
  readonly message: string;
}

/** Nothing was saved, because the stored values have changed since the form was opened. */
export interface Changed<Stored> {
  readonly stored: Stored;
}

/** The errors in a value that was parsed with `siteFault`. */
export const faultsOf = ({ issues }: z.ZodError): readonly FieldFault[] =>
  issues.map(({ path, message }) => ({ path: pathText(path), message }));

function pathText(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return steps.join('').replace(/^\./, '');
}

/** An object schema whose message for an unknown key lists the known ones. */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `${issue.keys.join(', ')} is not a valid key; the keys are ${Object.keys(shape).join(', ')}`
        : undefined,
  });
}

/** An error map for zod: the message for an issue, or undefined for zod's default message. */
export function siteFault(issue: Issue): string | undefined {
  if (issue.code === 'invalid_type') {
    if ((issue.path ?? []).length === 0) return 'must start with "sites:", followed by the list of sites';
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
