// Owns THE error table: code -> HTTP status and, from typed parameters, message, hint and details.
// No other place words an error of a query; docs/reference/errors.md is generated from `when`.
import { CALC_ERRORS } from './calc-errors';
import { CLAUSE_ERRORS } from './clause-errors';
import { JOIN_ERRORS } from './join-errors';
import { REQUEST_ERRORS } from './request-errors';
import { RESULT_ERRORS } from './result-errors';
import { TRANSPORT_ERRORS } from './transport-errors';
import { VIEW_ERRORS } from './view-errors';

export const ERRORS = {
  ...REQUEST_ERRORS,
  ...RESULT_ERRORS,
  ...VIEW_ERRORS,
  ...CLAUSE_ERRORS,
  ...JOIN_ERRORS,
  ...CALC_ERRORS,
  ...TRANSPORT_ERRORS,
};

export type ErrorCode = keyof typeof ERRORS;
export type ErrorParameters<Code extends ErrorCode> = Parameters<(typeof ERRORS)[Code]['say']>[0];
