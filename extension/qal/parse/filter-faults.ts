// Owns the faults of shape inside `filter`.
// what was received for a column -> the error at the operator or the value that is wrong.
import { type QueryError, queryError } from '../../errors/query-error';
import { leavesOutSeveral, nearOperator, type OperatorForm, operatorForm } from '../names/operator-forms';
import { operatorSynonym } from '../names/synonyms';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue, valueAt } from '../types/json';
import { FILTER_OPERATORS } from '../types/parsed-query';
import { formatPath, type Path } from '../types/path';
import { certainly, probably, type Repair, rename, write } from '../types/repair';
import { joinsConditions, rangeOf, splitCondition } from './filter-forms';
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
  const logic = joinsConditions(String(place[3]));
  if (logic !== undefined) return queryError('E_FILTER_INVALID', at, { problem: 'logic', received, logic });
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
  const split = splitCondition(received);
  if (split !== undefined)
    return queryError('E_FILTER_INVALID', at, { problem: 'shape', received }, certainly(write(place, split)));
  const unknown = Object.keys(received).find((key) => !OPERATORS.includes(key));
  if (unknown !== undefined) return operatorFault(place, unknown, received);
  const [operator = '', operand] =
    Object.entries(received).find(([key, value]) => !operandOf(key).isRight(value)) ?? [];
  const { expected } = operandOf(operator);
  return queryError(
    'E_FILTER_INVALID',
    formatPath([...place, operator]),
    { problem: 'operand', operator, received: operand, expected },
    operandRepair(place, operator, operand, received),
  );
}

/** The right form of an operand. */
function operandRepair(
  place: Path,
  operator: string,
  operand: JsonValue | undefined,
  received: JsonObject,
): Repair | undefined {
  if (operator === 'in')
    return operand !== undefined && isValue(operand) ? listRepair([...place, operator], operand) : undefined;
  // Whether the ends count, another language may see otherwise.
  const range = operator === 'between' ? rangeOf(operand) : undefined;
  if (range !== undefined) return probably(write([...place, operator], range));
  const isList = operator === 'eq' && isJsonList(operand) && operand.every(isValue);
  return isList && !('in' in received) ? certainly(rename([...place, operator], 'in')) : undefined;
}

/** An operator that there is not: another spelling, the same thing said otherwise, or the nearest. */
function operatorFault(place: Path, unknown: string, received: JsonObject): QueryError {
  const operand = received[unknown] ?? null;
  const meant = operatorSynonym(unknown);
  const form = operatorForm(unknown, operand);
  const nearest = meant ?? nearOperator(unknown, operand);
  return queryError(
    'E_FILTER_INVALID',
    formatPath([...place, unknown]),
    {
      problem: 'operator',
      operator: unknown,
      operators: OPERATORS,
      nearest,
      several: leavesOutSeveral(unknown, operand),
    },
    meant === undefined
      ? form && formRepair(place, form, received)
      : meant in received
        ? undefined
        : certainly(rename([...place, unknown], meant)),
  );
}

/** The whole condition in its own form, where it says nothing else. */
function formRepair(
  place: Path,
  { operator, value, certain }: OperatorForm,
  received: JsonObject,
): Repair | undefined {
  if (Object.keys(received).length > 1) return undefined;
  const edit = write(place, { [operator]: value });
  return certain ? certainly(edit) : probably(edit);
}

/** One value is a list of one; a text with separators was probably meant as several. */
function listRepair(place: Path, value: JsonValue): Repair {
  const parts = typeof value === 'string' ? value.split(/\s*[,;|]\s*/) : [];
  return parts.length > 1 ? probably(write(place, parts)) : certainly(write(place, [value]));
}
