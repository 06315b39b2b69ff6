// Parses the expression of a calc for the interpreter: calls, numbers, parentheses and the four operators.
import type { Call, Reference, Tree } from './reading/query';

const TOKEN = /\s*([A-Z]+\([^()]*\)|[0-9.]+|[-+*/()])\s*/y;
const CALL = /^([A-Z]+)\(([^,]+?)(?:, *([0-9.]+))?\)$/;

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const [, token] = TOKEN.exec(text) ?? [];
    if (token === undefined) throw new Error(`${text} has an unknown part.`);
    tokens.push(token);
  }
  return tokens;
}

type ReadCalc = Call | { readonly tree: Tree; readonly written: string };

export function readCalc(text: string, refer: (written: string) => Reference): ReadCalc {
  const tokens = tokensOf(text);
  const take = (): string => {
    const token = tokens.shift();
    if (token === undefined) throw new Error(`${text} ends early.`);
    return token;
  };
  const part = (): Tree => {
    const token = take();
    const [written, fn, column, percentage] = CALL.exec(token) ?? [];
    if (written !== undefined && fn !== undefined && column !== undefined) {
      const call = { function: fn, of: refer(column), written };
      return { call: percentage === undefined ? call : { ...call, percentage } };
    }
    if (token !== '(') return { number: token };
    const inner = sum();
    if (take() !== ')') throw new Error(`${text} has an unclosed parenthesis.`);
    return inner;
  };
  const chain = (operators: readonly string[], next: () => Tree): Tree => {
    let left = next();
    for (
      let operator = tokens[0];
      operator !== undefined && operators.includes(operator);
      [operator] = tokens
    ) {
      left = { operator: take(), left, right: next() };
    }
    return left;
  };
  const sum = (): Tree => chain(['+', '-'], () => chain(['*', '/'], part));
  const tree = sum();
  if (tokens.length > 0) throw new Error(`${text} has more than one expression.`);
  return 'call' in tree ? tree.call : { tree, written: text };
}
