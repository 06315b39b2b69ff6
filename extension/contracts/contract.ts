// What a contract is to the program: rules (data of the manifest), features, and the format of its responses.
// Phases ask for named rules and features; no code outside this folder knows a contract by its date.
import { z } from 'zod';
import type { Contract as ContractRules } from '../../manifests/reader/manifest';
import { type QueryError, queryError } from '../errors/query-error';
import type { Guide, GuideText } from '../guide/guide';
import type { QueryResult } from '../qal/types/query-result';

export interface Contract {
  readonly version: string;
  readonly rules: ContractRules;
  readonly format: ResponseFormat;
}

/** Which of a contract's success envelopes was asked for. */
export const envelopeSchema = z.enum(['result', 'data']);
export type Envelope = z.infer<typeof envelopeSchema>;

/** How a contract writes its responses: JSON values, each of which fits its schema among `bodies`. */
export interface ResponseFormat {
  readonly bodies: Bodies;
  /** The texts that the guide carries. */
  readonly guideTexts: readonly GuideText[];
  /** Whether the guide says how much data there is of each material. */
  readonly showsAvailability: boolean;
  /** `cached`: whether the rows come from an earlier query; undefined where the contract does not say. */
  table(result: QueryResult, envelope: Envelope, queryTimeMs: number, cached?: boolean): unknown;
  guide(guide: Guide): unknown;
  error(error: QueryError): unknown;
}

/** The schemas of a contract's responses, by the name that the OpenAPI document gives them. */
export interface Bodies {
  /** Success bodies of a query: each request gets one of them. */
  readonly answers: Readonly<Record<string, z.ZodType>>;
  readonly guide: z.ZodType;
  readonly error: z.ZodType;
}

/** Whether a feature is on under a contract; one that the contract does not know is off. */
export const isEnabled = ({ rules }: Contract, feature: string): boolean =>
  rules.features.get(feature)?.enabled === true;

/** The body of a successful query, in the format of the contract and with the features that are on. */
export const answerOf = (
  contract: Contract,
  { cached, ...result }: QueryResult & { readonly cached: boolean },
  envelope: Envelope,
  queryTimeMs: number,
): unknown =>
  contract.format.table(
    result,
    envelope,
    queryTimeMs,
    isEnabled(contract, 'meta_cached') ? cached : undefined,
  );

/** The error of a feature that is off: unknown to the contract, or switched off on this server. */
export function featureError(
  { version, rules }: Contract,
  feature: string,
  at: string | undefined,
): QueryError {
  const availableIn = rules.features.get(feature)?.available_in;
  return availableIn === undefined
    ? queryError('E_FEATURE_DISABLED', at, { feature })
    : queryError('E_FEATURE_NOT_SUPPORTED', at, {
        ...{ feature, version, availableIn },
        hint: availableIn === 'none' ? 'none' : undefined,
      });
}
