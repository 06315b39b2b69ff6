// Owns the one class of what a caller did wrong. Anything else that is thrown is a fault of ours.
// code + place + parameters (+ repair) in -> an error that every contract can spell.
import type { Repair } from '../qal/types/repair';
import { ERRORS, type ErrorCode, type ErrorParameters } from './error-table';
import { wordRepair } from './word-repair';

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
    readonly repair: Repair | undefined,
  ) {
    super(message);
  }

  /** The same error with the whole corrected query in its details. */
  withRepaired(repaired: unknown): QueryError {
    const { code, status, message, at, hint, details, repair } = this;
    return new QueryError(code, status, message, at, hint, { ...details, repaired }, repair);
  }
}

/** Builds the error for a code of the error table; its words come from the table and from the repair alone. */
export function queryError<Code extends ErrorCode>(
  code: Code,
  at: string | undefined,
  parameters: ErrorParameters<Code>,
  repair?: Repair,
): QueryError {
  const { status, say } = ERRORS[code];
  // The table's entry and the parameters are of one code, which the compiler cannot follow through the index.
  const { message, hint, example, details } = (say as (p: ErrorParameters<Code>) => Wording)(parameters);
  const rightForm = repair === undefined ? undefined : wordRepair(repair, at);
  return new QueryError(code, status, message, at, hint ?? rightForm ?? example, details, repair);
}

/** What the table says of one error: the sentence, what to do about it, the machine-readable rest. */
export interface Wording {
  readonly message: string;
  readonly hint?: string | undefined;
  /** The hint where neither `hint` nor a repair says something better. */
  readonly example?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}
