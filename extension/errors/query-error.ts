// Owns the one class of what a caller did wrong. Anything else that is thrown is a fault of ours.
// code + place + parameters in -> an error that every contract can spell.
import { ERRORS, type ErrorCode, type ErrorParameters } from './error-table';

export class QueryError extends Error {
  override readonly name = 'QueryError';

  constructor(
    readonly code: ErrorCode,
    readonly status: number,
    message: string,
    /** Path into the query such as `make.top.from`; absent for faults that are not in the body. */
    readonly at: string | undefined,
    readonly hint: string | undefined,
    readonly details: Readonly<Record<string, unknown>> | undefined,
  ) {
    super(message);
  }
}

/** Builds the error for a code of the error table; its words come from the table alone. */
export function queryError<Code extends ErrorCode>(
  code: Code,
  at: string | undefined,
  parameters: ErrorParameters<Code>,
): QueryError {
  const { status, say } = ERRORS[code];
  // The table's entry and the parameters are of one code, which the compiler cannot follow through the index.
  const { message, hint, details } = (say as (p: ErrorParameters<Code>) => Wording)(parameters);
  return new QueryError(code, status, message, at, hint, details);
}

/** What the table says of one error: the sentence, the repair, the machine-readable rest. */
export interface Wording {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}
