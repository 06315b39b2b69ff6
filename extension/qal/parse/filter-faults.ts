// Owns the faults of shape inside `filter`.
// what was received for a column -> the error at the operator or the value that is wrong.
import { type QueryError, queryError } from '../../errors/query-error';
import { nearest } from '../names/nearest';
import { likeOperator, operatorSynonym } from '../names/synonyms';
import { isJsonList, isJsonObject, type JsonValue, valueAt } from '../types/json';
import { FILTER_OPERATORS } from '../types/parsed-query';
import { formatPath } from '../types/path';
import { certainly, rename, write } from '../types/repair';
import type { Fault } from './shape-faults';

const OPERATORS: readonly string[] = FILTER_OPERATORS;

const isScalar = (value: JsonValue | undefined): boolean => value === null || typeof value !== 'object';
const isValue = (value: JsonValue): boolean => value !== null && isScalar(value);

/** What an operator takes, and whether it is that. */
function operandOf(operator: string): { readonly expected: string; isRight(value: JsonValue): boolean } {
  if (operator === 'in') {
    return {
      expected: 'a list of values without null',
      isRight: (it) => isJsonList(it) && it.every(isValue),
    };
  }
  if (operator === 'between') {
    return {
      expected: 'a list of exactly two values, both included',
      isRight: (it) => isJsonList(it) && it.length === 2 && it.every(isValue),
    };
  }
  return { expected: 'one value', isRight: isScalar };
}

/** The fault of what stands for one column of a filter. */
export function filterValueFault({ path, query }: Fault): QueryError {
  const place = path.slice(0, 4);
  const received = valueAt(query, place);
  const at = formatPath(place);
  if (isJsonList(received)) {
    const index = received.findIndex((value) => !isValue(value));
    return queryError('E_FILTER_INVALID', formatPath([...place, index]), {
      problem: 'shape',
      received: received[index],
      inList: true,
    });
  }
  if (!isJsonObject(received) || Object.keys(received).length === 0) {
    return queryError('E_FILTER_INVALID', at, { problem: 'shape', received });
  }
  const unknown = Object.keys(received).find((key) => !OPERATORS.includes(key));
  if (unknown !== undefined) {
    const meant = operatorSynonym(unknown);
    const repair =
      meant === undefined || meant in received ? undefined : certainly(rename([...place, unknown], meant));
    return queryError(
      'E_FILTER_INVALID',
      formatPath([...place, unknown]),
      {
        problem: 'operator',
        operator: unknown,
        operators: OPERATORS,
        nearest: meant ?? likeOperator(unknown) ?? nearest(unknown, OPERATORS),
      },
      repair,
    );
  }
  const [operator = '', operand] =
    Object.entries(received).find(([key, value]) => !operandOf(key).isRight(value)) ?? [];
  const { expected } = operandOf(operator);
  const isOneOfList = operator === 'in' && operand !== undefined && isValue(operand);
  return queryError(
    'E_FILTER_INVALID',
    formatPath([...place, operator]),
    { problem: 'operand', operator, received: operand, expected },
    isOneOfList ? certainly(write([...place, operator], [operand])) : undefined,
  );
}
