import { calcPattern, readCalc } from '../../../extension/language/parse/calc-expression';
import type { Arithmetic } from '../../../extension/language/types/arithmetic';
import { CALC_FUNCTIONS, type ParsedCall } from '../../../extension/language/types/parsed-query';

const WORDS = { functions: CALC_FUNCTIONS, hasArithmetic: true };

/** Formats a tree with parentheses around each operation. */
function parenthesized(tree: Arithmetic<ParsedCall>): string {
  switch (tree.kind) {
    case 'value':
      return tree.value.reference.column;
    case 'decimal':
      return String(tree.digits / 10 ** tree.scale);
    case 'operation':
      return `(${parenthesized(tree.left)} ${tree.operator} ${parenthesized(tree.right)})`;
  }
}

/** Parses a calc in which each letter is short for a call. */
const read = (text: string) => {
  const calls = text.replace(/[a-z]/g, (name) => `COUNT(allpv.${name})`);
  const known = readCalc(calls, WORDS);
  return 'value' in known ? parenthesized(known.value) : known.fault;
};

test.each([
  ['a + b * c', '(a + (b * c))'],
  ['(a + b) * c', '((a + b) * c)'],
  ['a - b - c', '((a - b) - c)'],
  ['a / b / c', '((a / b) / c)'],
  ['a/(b/c)', '(a / (b / c))'],
  ['a * b + c / 2.50', '((a * b) + (c / 2.5))'],
  ['-a * b', '(0 - (a * b))'],
  ['a * (-b - 1)', '(a * ((0 - b) - 1))'],
  ['((a))', 'a'],
  ['( ( a ) - ( 007 ) )', '(a - 7)'],
  ['a*-1', '(a * (0 - 1))'],
  ['a / -b * c', '((a / (0 - b)) * c)'],
  ['a - -b - c', '((a - (0 - b)) - c)'],
  ['a * -(b + c)', '(a * (0 - (b + c)))'],
  ['-a * -b', '(0 - (a * (0 - b)))'],
  ['.5*a', '(0.5 * a)'],
  ['2.*a', '(2 * a)'],
  ['a / 2.E1', '(a / 20)'],
  ['1E3 * a', '(1000 * a)'],
  ['a / 2.5E-2', '(a / 0.025)'],
  ['1.5E+1 * a', '(15 * a)'],
])('%s is read as %s', (text, tree) => {
  expect(read(text)).toBe(tree);
});

test.each([
  ['two operators in a row', 'a * / b'],
  ['two minus operators', 'a * - - b'],
  ['two calls in a row', 'a b'],
  ['an extra parenthesis', 'a + b)'],
  ['empty parentheses', 'a + ()'],
  ['a decimal point without digits', 'a * .'],
  ['a number with letters', 'a * 2x'],
])('a calc with %s is malformed', (_, text) => {
  expect(read(text)).toBe('E_CALC_INVALID_EXPRESSION arithmetic');
});

test.each([
  ['a two-digit exponent', '1E10 * a', '1E10'],
  ['a negative two-digit exponent', 'a / 1E-10', '1E-10'],
  ['ten digits with an exponent', 'a * 1234E6', '1234E6'],
  ['seven decimals with an exponent', 'a * 0.01E-5', '0.01E-5'],
  ['seven decimals', '(.1234567 + a)', '.1234567'],
  ['ten digits', '-1234567890 * a', '1234567890'],
  // conformance: beyond.calcs-calls-numbers
])('a number with %s is too long, and the error contains it', (_, text, number) => {
  const written = text.replace('a', 'COUNT(allpv.a)');
  const fault = 'E_CALC_INVALID_EXPRESSION number';
  expect(readCalc(written, WORDS)).toEqual({ fault, given: { number } });
});

test.each([
  ['an operator at the end', 'a +'],
  ['an unclosed parenthesis', '(a + b'],
])('a calc with %s is incomplete', (_, text) => {
  expect(read(text)).toBe('E_CALC_INVALID_EXPRESSION unfinished');
});

test('the error contains the text that cannot be parsed', () => {
  expect(readCalc('COUNT(allpv.a) + 2 % 3', WORDS)).toMatchObject({ given: { rest: '% 3' } });
});

test.each([
  ['calls', Array(32).fill('a').join(' + '), Array(33).fill('a').join(' + ')],
  ['numbers', `a${' + 1'.repeat(32)}`, `a${' + 1'.repeat(33)}`],
  ['terms', nested(10), nested(16)],
])('too many %s are rejected', (_, allowed, tooMany) => {
  expect(read(allowed)).toMatch(/^\(/);
  expect(read(tooMany)).toBe('E_QUERY_TOO_LARGE calc');
});

/** `1 / (a + 1 / (a + ...))`. */
function nested(levels: number): string {
  return levels === 0 ? 'a' : `1 / (a + ${nested(levels - 1)})`;
}

test.each([
  ['parentheses', `${'('.repeat(200_000)}a`],
  ['numbers', `a${' + 1'.repeat(200_000)}`],
  ['spaces', `a +${' '.repeat(200_000)}`],
])('a very long string of %s is rejected quickly', (_, text) => {
  expect(read(text)).toMatch(/^E_/);
});

test('without arithmetic, a calc must be a single call to an enabled function', () => {
  const few = { functions: ['COUNT', 'SUM'], hasArithmetic: false } as const;
  expect(readCalc('SUM(allpv.pv)', few)).toHaveProperty('value');
  expect(readCalc('SUM(allpv.pv) / 2', few)).toHaveProperty('fault', 'E_CALC_INVALID_EXPRESSION expression');
  expect(readCalc('MEDIAN(allpv.pv)', few)).toHaveProperty('fault', 'E_CALC_INVALID_FUNCTION');
  expect(new RegExp(calcPattern(few)).test('SUM(allpv.pv) / 2')).toBe(false);
});
