import { z } from 'zod';
import type { Arithmetic } from '../types/arithmetic';
import type { Contract } from '../types/contract';
import type { ParsedCall } from '../types/parsed-query';
import { collection, member } from './bounded-schema';
import { calcPattern, calcWords, readCalc } from './calc-expression';
import { fault } from './schema-fault';

export const OUTPUT_NAME = /^[A-Za-z0-9_]+$/;

export function calcSchema(contract: Contract) {
  const words = calcWords(contract);
  const expression: z.ZodType<Arithmetic<ParsedCall>, string> = z
    .string(fault('E_CALC_INVALID_EXPRESSION expression'))
    .meta({ pattern: calcPattern(words) })
    .transform((text, context) => {
      const read = readCalc(text, words);
      if ('value' in read) return read.value;
      context.addIssue({ code: 'custom', message: read.fault });
      return z.NEVER;
    });
  return collection(
    z
      .record(
        member(z.string().regex(OUTPUT_NAME)),
        member(expression),
        fault('E_CALC_INVALID_EXPRESSION shape', { key: 'E_CALC_INVALID_EXPRESSION name' }),
      )
      .refine((given) => Object.keys(given).length > 0, fault('E_CALC_INVALID_EXPRESSION empty'))
      .meta({ minProperties: 1 }),
  );
}
