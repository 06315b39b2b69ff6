// An installed contract: its rules and its response format. No code outside this folder checks a contract's date.
import { z } from 'zod';
import type { QueryError } from '../../language/errors/query-error';
import { type Contract, isEnabled } from '../../language/types/contract';
import type { Answer, QueryResult } from '../../language/types/query-result';
import type { QueryCheck } from '../../query/check-query';
import type { Guide, GuideText } from '../guide/guide';

export interface InstalledContract extends Contract {
  readonly format: ResponseFormat;
}

export const envelopeSchema = z.enum(['result', 'data']);
export type Envelope = z.infer<typeof envelopeSchema>;

/** Writes a contract's responses as JSON values that match the schemas in `bodies`. */
export interface ResponseFormat {
  readonly bodies: Bodies;
  readonly guideTexts: readonly GuideText[];
  table(result: QueryResult, envelope: Envelope, queryTimeMs: number, meta?: ResponseMeta): unknown;
  guide(guide: Guide): object;
  /** Undefined if the contract has no checks. */
  check?(check: QueryCheck): unknown;
  error(error: QueryError): unknown;
}

/** `cached` is undefined if the contract does not report it, and `page` is null if the query does not request a page. */
type ResponseMeta = Partial<Pick<Answer<unknown>, 'page' | 'notes'>> & {
  readonly cached?: boolean | undefined;
};

export interface Bodies {
  /** The possible response bodies for a successful query, by their names in the OpenAPI document. */
  readonly answers: Readonly<Record<string, z.ZodType>>;
  readonly guide: z.ZodType;
  /** Undefined if the contract does not divide its guide into parts. */
  readonly guideParts?: z.ZodType;
  readonly error: z.ZodType;
}

export const answerOf = (
  contract: InstalledContract,
  { cached, page, notes, ...result }: QueryResult & Pick<Answer<unknown>, 'cached' | 'page' | 'notes'>,
  envelope: Envelope,
  queryTimeMs: number,
): unknown =>
  contract.format.table(result, envelope, queryTimeMs, {
    ...(isEnabled(contract, 'meta_cached') && { cached }),
    page,
    notes,
  });
