import type { Contract } from '../types/contract';
import { type QueryError, queryError } from './query-error';

/** The error for a feature that the contract does not have or that is off on this server. */
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
