// Parses a calc: a function call, or arithmetic with calls, numbers, `+ - * /` and parentheses. The parser is not recursive, so
// nesting cannot overflow the stack.
import type { Fault, Given } from '../errors/fault';
import {
  ARITHMETIC_OPERATORS,
  type Arithmetic,
  type ArithmeticOperator,
  operation,
  type Share,
  valueTerm,
  whole,
} from '../types/arithmetic';
import { type Contract, isEnabled, wordsOf } from '../types/contract';
import { scalarText } from '../types/json';
import { CALC_FUNCTIONS, type CalcFunction, type ParsedCall } from '../types/parsed-query';

/** The syntax that a contract allows in a calc. */
interface CalcWords {
  readonly functions: readonly CalcFunction[];
  readonly hasArithmetic: boolean;
}

type ReadCalc = { readonly value: Tree } | CalcFault;

interface CalcFault {
  readonly fault: Fault;
  readonly given: Given;
}

type Tree = Arithmetic<ParsedCall>;

/** Limits on one calc. `terms` are the terms of the fraction that the calc is reduced to. */
const LIMITS = { calls: 32, numbers: 32, terms: 500, parts: 500, characters: 10_000 } as const;

const NAME = '[A-Za-z_][A-Za-z0-9_]*';
/** Source names contain no operators: `a.x+a.y` is not a reference. */
const REFERENCE = String.raw`[^\s(),+*/-]+\.[A-Za-z0-9_]+`;
const PERCENTAGE = String.raw`100(?:\.0{1,4})?|\d{1,2}(?:\.\d{1,4})?`;
const NUMBER = String.raw`(?:\d{1,9}(?:\.\d{0,6})?|\.\d{1,6})(?:[eE][+-]?\d)?`;

/** At the start of a text: a number of any length. */
const LONG_NUMBER = /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/;

/** A single call with any argument. */
const CALL = new RegExp(String.raw`^\s*(${NAME})\s*\(([^()]*)\)\s*$`);
const TOKEN = new RegExp(String.raw`\s*(?:(${NAME})\s*\(([^()]*)\)|(${NUMBER})(?![\w.])|([-+*/()]))`, 'y');
const ONE = /^\s*([^\s(),+*/-]+)\.([A-Za-z0-9_]+)\s*$/;
const ONE_AND_PERCENTAGE = new RegExp(String.raw`^(${REFERENCE})\s*(?:,\s*(\S*))?$`);

export const calcWords = (contract: Contract): CalcWords => {
  const words = wordsOf(contract, 'calc_functions');
  return {
    functions: CALC_FUNCTIONS.filter((name) => Object.hasOwn(words, name)),
    hasArithmetic: isEnabled(contract, 'calc_expressions'),
  };
};

export function readCalc(text: string, words: CalcWords): ReadCalc {
  if (text.length > LIMITS.characters) return tooMany(text.length, 'characters', LIMITS.characters);
  const [, name, argument = ''] = CALL.exec(text) ?? [];
  if (name !== undefined) return readCall(name, argument, words);
  const read = readArithmetic(text, words);
  return words.hasArithmetic || !('value' in read) ? read : UNREADABLE;
}

const UNREADABLE: CalcFault = { fault: 'E_CALC_INVALID_EXPRESSION expression', given: {} };

function readCall(name: string, argument: string, { functions }: CalcWords): ReadCalc {
  const fn = functions.find((known) => known === name.toUpperCase());
  const takesShare = fn === 'PERCENTILE';
  const [, written = argument, percentage] = (takesShare && ONE_AND_PERCENTAGE.exec(argument.trim())) || [];
  const [, prefix, column] = ONE.exec(written) ?? [];
  if (prefix === undefined || column === undefined) return UNREADABLE;
  if (fn === undefined) return { fault: 'E_CALC_INVALID_FUNCTION', given: { function: name } };
  const share = takesShare ? shareIn(percentage) : fn === 'MEDIAN' ? MIDDLE : null;
  if (share === undefined)
    return {
      fault: 'E_CALC_INVALID_EXPRESSION percentage',
      given: { reference: written.trim(), received: percentage },
    };
  return { value: valueTerm({ function: fn, reference: { prefix, column }, share }) };
}

const MIDDLE: Share = { of: 50, in: 100 };

function shareIn(percentage: string | undefined): Share | undefined {
  if (percentage === undefined || !new RegExp(`^(?:${PERCENTAGE})$`).test(percentage)) return undefined;
  const [ones = '', decimals = ''] = scalarText(Number(percentage)).split('.');
  return { of: Number(ones + decimals), in: 100 * 10 ** decimals.length };
}

/** The stacks of operands and operators that have not been combined yet. */
interface Pending {
  readonly trees: Tree[];
  readonly operators: Mark[];
}

/** `negate` is a minus after an operator. It binds more tightly: `a * -b`. */
type Mark = ArithmeticOperator | '(' | 'negate';
const RANKS: Readonly<Record<Mark, number>> = { '(': 0, '+': 1, '-': 1, '*': 2, '/': 2, negate: 3 };

function readArithmetic(text: string, words: CalcWords): ReadCalc {
  const pending: Pending = { trees: [], operators: [] };
  const counts = { calls: 0, numbers: 0 };
  const end = text.trimEnd().length;
  let wantsOperand = true;
  let place = 0;
  let parts = 0;
  const unreadable = (): CalcFault => {
    const rest = text.slice(place).trim();
    const [number] = (wantsOperand && LONG_NUMBER.exec(rest)) || [];
    if (number !== undefined) return { fault: 'E_CALC_INVALID_EXPRESSION number', given: { number } };
    if (place === 0) return UNREADABLE;
    return rest === ''
      ? { fault: 'E_CALC_INVALID_EXPRESSION unfinished', given: {} }
      : { fault: 'E_CALC_INVALID_EXPRESSION arithmetic', given: { rest } };
  };
  while (place < end) {
    TOKEN.lastIndex = place;
    const [token, name, argument = '', number, mark] = TOKEN.exec(text) ?? [];
    if (token === undefined) return unreadable();
    const opens = mark === '(';
    const closes = mark === ')';
    const before = pending.operators.at(-1);
    const negates: boolean = wantsOperand && mark === '-' && before !== 'negate';
    const binds = negates && place > 0 && before !== '(';
    if (name !== undefined || number !== undefined || opens ? !wantsOperand : wantsOperand && !negates)
      return unreadable();
    if (name !== undefined) {
      const call = readCall(name, argument, words);
      if ('fault' in call) return call;
      pending.trees.push(call.value);
      counts.calls += 1;
    } else if (number !== undefined || negates) {
      const term = decimal(number ?? '0');
      if (term === undefined) return unreadable();
      pending.trees.push(term);
      counts.numbers += 1;
      if (negates) pending.operators.push(binds ? 'negate' : '-');
    } else if (opens) pending.operators.push('(');
    else if (closes) {
      combine(pending, 1);
      if (pending.operators.pop() === undefined) return unreadable();
    } else {
      const operator = ARITHMETIC_OPERATORS.find((known) => known === mark) ?? '+';
      combine(pending, RANKS[operator]);
      pending.operators.push(operator);
    }
    wantsOperand = !(closes || name !== undefined || (number !== undefined && !negates));
    place = TOKEN.lastIndex;
    parts += 1;
    if (parts > LIMITS.parts) return tooMany(parts, 'parts', LIMITS.parts);
  }
  combine(pending, 1);
  const [tree] = pending.trees;
  if (wantsOperand || pending.operators.length > 0 || tree === undefined) return unreadable();
  if (counts.calls === 0) return { fault: 'E_CALC_INVALID_EXPRESSION no-call', given: {} };
  return tooMuch(tree, counts) ?? { value: tree };
}

/** Combines operators of at least this rank, back to the last parenthesis. */
function combine({ trees, operators }: Pending, rank: number): void {
  for (;;) {
    const operator = operators.at(-1);
    if (operator === undefined || operator === '(' || RANKS[operator] < rank) return;
    operators.pop();
    const [left, right] = trees.splice(-2);
    const known = operator === 'negate' ? '-' : operator;
    if (left !== undefined && right !== undefined) trees.push(operation(known, left, right));
  }
}

/** Returns undefined for a number with more than nine digits before the decimal point or six after it. */
function decimal(written: string): Tree | undefined {
  const [number = '', exponent = '0'] = written.toLowerCase().split('e');
  const [ones = '', decimals = ''] = number.split('.');
  const scale = decimals.length - Number(exponent);
  const digits = Number(ones + decimals) * 10 ** Math.max(0, -scale);
  const isExact = scale <= MAX_DECIMALS && digits < 10 ** (MAX_INTEGER_DIGITS + Math.max(0, scale));
  return isExact ? { ...whole(digits), scale: Math.max(0, scale) } : undefined;
}

const MAX_INTEGER_DIGITS = 9;
const MAX_DECIMALS = 6;

function tooMuch(tree: Tree, counts: Readonly<Record<'calls' | 'numbers', number>>): CalcFault | undefined {
  for (const what of ['calls', 'numbers'] as const)
    if (counts[what] > LIMITS[what]) return tooMany(counts[what], what, LIMITS[what]);
  const { above, below } = termsOf(tree);
  return above + below > LIMITS.terms
    ? tooMany(above + below, 'terms when written as one fraction', LIMITS.terms)
    : undefined;
}

const tooMany = (count: number, what: string, max: number): CalcFault => ({
  fault: 'E_QUERY_TOO_LARGE calc',
  given: { count, what, max },
});

/** The numbers of terms in the numerator and denominator of the fraction that a tree is reduced to. */
function termsOf(tree: Tree): { readonly above: number; readonly below: number } {
  if (tree.kind !== 'operation') return { above: 1, below: 0 };
  const [left, right] = [termsOf(tree.left), termsOf(tree.right)];
  switch (tree.operator) {
    case '+':
    case '-':
      return { above: left.above + right.above + left.below + right.below, below: left.below + right.below };
    case '*':
      return { above: left.above + right.above, below: left.below + right.below };
    case '/':
      return { above: left.above + right.below, below: left.below + right.above };
  }
}

/** A pattern for JSON Schema, where patterns have no flags. It cannot check that parentheses match. */
export function calcPattern({ functions, hasArithmetic }: CalcWords): string {
  const anyCase = (name: string): string => name.replace(/[A-Z]/g, (it) => `[${it}${it.toLowerCase()}]`);
  const named = (takesShare: boolean): string =>
    functions
      .filter((name) => (name === 'PERCENTILE') === takesShare)
      .map(anyCase)
      .join('|');
  const one = String.raw`(?:${named(false)})\s*\(\s*${REFERENCE}\s*\)`;
  const withShare = String.raw`${named(true)}\s*\(\s*${REFERENCE}\s*,\s*(?:${PERCENTAGE})\s*\)`;
  const call = named(true) === '' ? one : `(?:${one}|${withShare})`;
  if (!hasArithmetic) return String.raw`^\s*${call}\s*$`;
  const open = String.raw`(?:\(\s*(?:-\s*)?)*`;
  const operand = String.raw`${open}(?:${call}|${NUMBER})(?:\s*\))*`;
  return String.raw`^(?=.*[A-Za-z])\s*(?:-\s*)?${operand}(?:\s*[-+*/]\s*(?:-\s*)?${operand})*\s*$`;
}
