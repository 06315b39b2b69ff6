// The error of a feature that is off.
import type { Contract } from '../types/contract';
import { type QueryError, queryError } from './query-error';

/** Distinguishes a feature that the contract lacks from one that this server has switched off. */
export function featureError(
  { version, rules }: Contract,
  feature: string,
  at: string | undefined,
): QueryError {
  const availableIn = rules.features.get(feature)?.available_in;
  if (availableIn === undefined) return queryError('E_FEATURE_DISABLED', at, { feature });
  const hint = availableIn === 'none' ? 'none' : undefined;
  return queryError('E_FEATURE_NOT_SUPPORTED', at, { feature, version, availableIn, hint });
}
