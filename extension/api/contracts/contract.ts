// An installed contract: its rules, and the format of its responses. No code outside this folder knows one by its date.
import { z } from 'zod';
import type { QueryError } from '../../language/errors/query-error';
import { type Contract, isEnabled } from '../../language/types/contract';
import type { Answer, Page, QueryResult } from '../../language/types/query-result';
import type { QueryCheck } from '../../query/check-query';
import type { Guide, GuideText } from '../guide/guide';

/** A contract that this program can serve. */
export interface InstalledContract extends Contract {
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
  /**
   * `cached`: whether the rows come from an earlier query; undefined where the contract does not say. `page`: which part of
   * the list they are, where that was asked.
   */
  table(
    result: QueryResult,
    envelope: Envelope,
    queryTimeMs: number,
    cached?: boolean,
    page?: Page | null,
  ): unknown;
  guide(guide: Guide): object;
  /** Where the contract has checks. */
  check?(check: QueryCheck): unknown;
  error(error: QueryError): unknown;
}

/** The schemas of a contract's responses, by their names in the OpenAPI document. */
export interface Bodies {
  /** Success bodies of a query: each request gets one of them. */
  readonly answers: Readonly<Record<string, z.ZodType>>;
  readonly guide: z.ZodType;
  /** Some parts of the guide, where the contract has them. */
  readonly guideParts?: z.ZodType;
  readonly error: z.ZodType;
}

/** The body of a successful query, in the format of the contract and with the features that are on. */
export const answerOf = (
  contract: InstalledContract,
  { cached, page, ...result }: QueryResult & Pick<Answer<unknown>, 'cached' | 'page'>,
  envelope: Envelope,
  queryTimeMs: number,
): unknown =>
  contract.format.table(
    result,
    envelope,
    queryTimeMs,
    isEnabled(contract, 'meta_cached') ? cached : undefined,
    page,
  );
