// Owns what a contract is to the program: rules (data of the manifest), features, and the spelling of answers.
// Phases ask for named rules; no code outside this folder compares dates or version names.
import type { Contract as ContractRules } from '../../manifests/reader/manifest';
import { type QueryError, queryError } from '../errors/query-error';
import type { Guide, GuideText } from '../guide/guide';
import type { QueryResult } from '../qal/types/query-result';

export interface Contract {
  readonly version: string;
  readonly rules: ContractRules;
  readonly wire: Wire;
}

/** Which of a contract's success envelopes was asked for. */
export type Envelope = 'result' | 'data';

/** How a contract spells its answers: JSON values out, nothing decided. */
export interface Wire {
  /** The texts that the guide carries. */
  readonly guideTexts: readonly GuideText[];
  /** Whether the guide tells how much data there is of each material. */
  readonly tellsAvailability: boolean;
  /** `cached`: whether the rows were kept from an earlier query; undefined where that is not told. */
  table(result: QueryResult, envelope: Envelope, queryTimeMs: number, cached?: boolean): unknown;
  guide(guide: Guide): unknown;
  error(error: QueryError): unknown;
}

/** Whether a feature is on under a contract; one that the contract does not know is off. */
export const isEnabled = ({ rules }: Contract, feature: string): boolean =>
  rules.features.get(feature)?.enabled === true;

/** The answer to a query, as the contract spells it with the features that are on. */
export const answerOf = (
  contract: Contract,
  { cached, ...result }: QueryResult & { readonly cached: boolean },
  envelope: Envelope,
  queryTimeMs: number,
): unknown =>
  contract.wire.table(result, envelope, queryTimeMs, isEnabled(contract, 'meta_cached') ? cached : undefined);

/** The error of a feature that is off: unknown to the contract, or switched off on this server. */
export function featureError(
  { version, rules }: Contract,
  feature: string,
  at: string | undefined,
): QueryError {
  const availableIn = rules.features.get(feature)?.available_in;
  return availableIn === undefined
    ? queryError('E_FEATURE_DISABLED', at, { feature })
    : queryError('E_FEATURE_NOT_SUPPORTED', at, { feature, version, availableIn });
}
