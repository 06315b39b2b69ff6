// Reads numbers from the source, so that the limits page cannot differ from it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const NUMBER = String.raw`\d[\d_]*(?: \*\*? \d[\d_]*)*`;

const sourceOf = (file: string): string => readFileSync(join(__dirname, '../..', file), 'utf8');

/** Evaluates a product such as 4 * 2 ** 20. */
const product = (text: string): number =>
  text
    .replaceAll('_', '')
    .split(' * ')
    .map((factor) => factor.split(' ** ').map(Number))
    .reduce((result, [base = Number.NaN, exponent = 1]) => result * base ** exponent, 1);

/** The number in `const NAME`, or in a field of that object. Throws if the file has no such constant. */
export function sourceConstant(file: string, name: string, field?: string): number {
  const source = sourceOf(file);
  const inObject = field === undefined ? '' : String.raw`\{[^}]*?\b${field}: `;
  const [, text] =
    new RegExp(String.raw`\bconst ${name}(?:: \w+)? = ${inObject}(${NUMBER})`).exec(source) ?? [];
  if (text === undefined)
    throw new Error(
      `docs/limits names ${name}${field ? `.${field}` : ''}, which is not a number in ${file}.`,
    );
  return product(text);
}

/** Returns `number` if the file contains `text` (the snippet in which the number appears). Throws otherwise. */
export function sourceText(file: string, text: string, number: number): number {
  if (!sourceOf(file).includes(text))
    throw new Error(`docs/limits looks for ${text} in ${file}, which does not contain it.`);
  return number;
}
