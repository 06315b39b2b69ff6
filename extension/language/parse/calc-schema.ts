import { z } from 'zod';
import type { Fault } from '../errors/fault';
import type { Arithmetic } from '../types/arithmetic';
import { type Contract, isEnabled } from '../types/contract';
import { isJsonObject, type JsonObject, type JsonValue } from '../types/json';
import type { ParsedCall } from '../types/parsed-query';
import { collection, member } from './bounded-schema';
import { calcPattern, calcWords, readCalc } from './calc-expression';
import type { filterSchema } from './filter-schema';
import { fault } from './schema-fault';

export const OUTPUT_NAME = /^[A-Za-z0-9_]+$/;

/** Objects without `of` are expressions in another language's syntax. */
export const isFilteredCalc = (value: JsonValue | undefined): value is JsonObject =>
  isJsonObject(value) && 'of' in value;

/** The features that a calc with a filter needs. */
export const FEATURES_OF_FILTERED: readonly string[] = ['calc_filter', 'filter'];

/** `filter` is the schema of a filter, shared with the filter clause. */
export function calcSchema(contract: Contract, filter: ReturnType<typeof filterSchema>) {
  return collection(
    z
      .record(
        member(z.string().regex(OUTPUT_NAME)),
        member(calcValueSchema(contract, filter)),
        fault('E_CALC_INVALID_EXPRESSION shape', { key: 'E_CALC_INVALID_EXPRESSION name' }),
      )
      .refine((given) => Object.keys(given).length > 0, fault('E_CALC_INVALID_EXPRESSION empty'))
      .meta({ minProperties: 1 }),
  );
}

function calcValueSchema(contract: Contract, filter: ReturnType<typeof filterSchema>) {
  const words = calcWords(contract);
  const expression = (wrong: Fault): z.ZodType<Arithmetic<ParsedCall>, string> =>
    z
      .string(fault(wrong))
      .meta({ pattern: calcPattern(words) })
      .transform((text, context) => {
        const read = readCalc(text, words);
        if ('value' in read) return read.value;
        context.addIssue({ code: 'custom', message: read.fault });
        return z.NEVER;
      });
  const alone = expression('E_CALC_INVALID_EXPRESSION expression');
  if (FEATURES_OF_FILTERED.some((feature) => !isEnabled(contract, feature))) return alone;
  const filtered = z.strictObject(
    { of: expression('E_CALC_INVALID_EXPRESSION no-of'), filter },
    fault('E_CALC_INVALID_EXPRESSION expression', { key: 'E_UNKNOWN_FIELD' }),
  );
  const node = z.union([alone, filtered]);
  node._zod.run = (payload, context) =>
    (isFilteredCalc(payload.value as JsonValue) ? filtered : alone)._zod.run(payload, context);
  return node;
}
