import { z } from 'zod';
import type { Fault } from '../errors/fault';
import { type Contract, isEnabled, wordsOf } from '../types/contract';
import { type FilterList, featureOf, listsInside } from '../types/filter-lists';
import type { JsonObject } from '../types/json';
import { COMPARISONS, LIST_TESTS, ORDER_TESTS } from '../types/parsed-query';
import { collection, listOf, member } from './bounded-schema';
import { fault, lengthFault, SCALARS, scalar, scalarNotNull } from './schema-fault';

/** A bare scalar means `eq`, and a bare list means `in`. */
export function filterValueSchema(contract: Contract) {
  const maxValues = contract.rules.limits.max_list_values;
  const list = (wrong: Fault, item: Fault) =>
    listOf(scalarNotNull(item), fault(wrong), (values) => values.meta({ maxItems: maxValues }));
  const range = scalarNotNull('E_FILTER_INVALID range');
  const other = z.strictObject(
    { column: z.string(fault('E_FILTER_INVALID value')).min(1, lengthFault('E_FILTER_INVALID value')) },
    fault('E_FILTER_INVALID value'),
  );
  const operand = isEnabled(contract, 'filter_columns')
    ? z.union([...SCALARS, z.null(), other], fault('E_FILTER_INVALID value'))
    : scalar('E_FILTER_INVALID value');
  const all: Readonly<Record<string, z.ZodType>> = {
    ...Object.fromEntries(COMPARISONS.map((operator) => [operator, scalar('E_FILTER_INVALID value')])),
    ...Object.fromEntries(ORDER_TESTS.map((operator) => [operator, operand])),
    ...Object.fromEntries(
      LIST_TESTS.map((operator) => [operator, list('E_FILTER_INVALID list', 'E_FILTER_INVALID list')]),
    ),
    between: z.tuple([range, range], fault('E_FILTER_INVALID range')),
  };
  const operators = Object.keys(wordsOf(contract, 'filter_operators'));
  const tests = Object.fromEntries(operators.flatMap((it) => (all[it] ? [[it, all[it].optional()]] : [])));
  return z.union(
    [
      scalar('E_FILTER_INVALID shape'),
      list('E_FILTER_INVALID shape', 'E_FILTER_INVALID list-value'),
      z
        .strictObject(tests, fault('E_FILTER_INVALID shape', { key: 'E_FILTER_INVALID operator' }))
        .refine((given) => Object.keys(given).length > 0, {
          ...fault('E_FILTER_INVALID shape'),
          when: ({ issues }) => issues.length === 0,
        })
        .meta({ id: 'tests', anyOf: operators.map((key) => ({ required: [key] })) }),
    ],
    fault('E_FILTER_INVALID shape'),
  );
}

/** The keys `any` and `none` are columns unless their value is a list of filters. */
export function filterSchema(contract: Contract) {
  const test = member(filterValueSchema(contract));
  const maxItems = contract.rules.limits.max_list_values;
  const filterInside = (around: readonly FilterList[]): z.ZodType<JsonObject> => {
    // A filter can be missing only in a calc.
    const wrong =
      around.length === 0
        ? fault('E_FILTER_INVALID shape', { missing: 'E_CALC_INVALID_EXPRESSION no-filter' })
        : fault('E_FILTER_INVALID entry');
    const lists = listsInside(around).filter((list) => isEnabled(contract, featureOf(list)));
    if (lists.length === 0) return collection(z.record(z.string(), test, wrong)) as z.ZodType<JsonObject>;
    const listed = lists.map((list) => {
      const filters = listOf(filterInside([...around, list]), fault('E_FILTER_INVALID shape'), (all) =>
        all.meta({ maxItems }),
      );
      return [
        list,
        member(z.union([filters, ...test.options], fault('E_FILTER_INVALID filters'))).optional(),
      ];
    });
    const filter = z.object(Object.fromEntries(listed), wrong).catchall(test);
    const named = around.length === 0 ? filter.meta({ id: 'filter' }) : filter;
    return collection(named) as z.ZodType<JsonObject>;
  };
  return filterInside([]);
}
