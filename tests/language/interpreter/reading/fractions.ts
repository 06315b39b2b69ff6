// Exact numbers, as fractions of integers.
import { decimalOf } from './decimals';

export interface Fraction {
  readonly over: bigint;
  /** Never 0. */
  readonly under: bigint;
}

/** The exact fraction for the decimal that a number prints as. */
export function fractionOf(value: number): Fraction {
  const { digits, scale } = decimalOf(value);
  return { over: digits, under: 10n ** BigInt(scale) };
}

/** Combines two fractions with an operator. Null if the divisor is 0. */
export function combined(operator: string, a: Fraction, b: Fraction): Fraction | null {
  switch (operator) {
    case '+':
      return { over: a.over * b.under + b.over * a.under, under: a.under * b.under };
    case '-':
      return { over: a.over * b.under - b.over * a.under, under: a.under * b.under };
    case '*':
      return { over: a.over * b.over, under: a.under * b.under };
    case '/':
      return b.over === 0n ? null : { over: a.over * b.under, under: a.under * b.over };
    default:
      throw new Error(`The interpreter has no operator ${operator}.`);
  }
}

const magnitude = (number: bigint): bigint => (number < 0n ? -number : number);

/** The nearest double. */
export function nearest({ over, under }: Fraction): number {
  const isNegative = over < 0n !== under < 0n;
  const [above, below] = [magnitude(over), magnitude(under)];
  // Many more digits than a double has, plus a last one that shows whether there is a remainder.
  const scale = 60 + String(below).length;
  const scaled = above * 10n ** BigInt(scale);
  const rest = scaled % below === 0n ? '0' : '1';
  const size = Number(`${scaled / below}${rest}e-${scale + 1}`);
  return isNegative && size !== 0 ? -size : size;
}
