// The shape of a calc: names and the texts of their expressions.
import { z } from 'zod';
import type { Fault } from '../errors/fault';
import type { Contract } from '../types/contract';
import { collection, member } from './bounded-schema';
import { calcPattern, calcWords, readCalc } from './calc-expression';
import { fault } from './schema-fault';

export const OUTPUT_NAME = /^[A-Za-z0-9_]+$/;

/** The schema of a calc under a contract. */
export function calcSchema(contract: Contract) {
  const words = calcWords(contract);
  const faultOf = (text: string): Fault | undefined => {
    const read = readCalc(text, words);
    return 'fault' in read ? read.fault : undefined;
  };
  const expression = z
    .string(fault('E_CALC_INVALID_EXPRESSION expression'))
    .superRefine((text, context) => {
      const wrong = faultOf(text);
      if (wrong !== undefined) context.addIssue({ code: 'custom', message: wrong });
    })
    .meta({ pattern: calcPattern(words) });
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
