// The type of a limit, and how its numbers are formatted.
import { ERRORS } from '../../extension/language/errors/error-table';
import { PRODUCT } from '../../host-shim/main';
import { listSettings } from '../../host-shim/server/config';

export interface Limit {
  readonly of: string;
  readonly max: string;
  readonly beyond: string;
  readonly settings: readonly string[];
}

export const limit = (
  of: string,
  max: number | string,
  beyond: string,
  ...settings: readonly string[]
): Limit => ({
  of,
  max: typeof max === 'number' ? max.toLocaleString('en') : max,
  beyond,
  settings,
});

export const error = (code: keyof typeof ERRORS): string => `${ERRORS[code].status} \`${code}\``;

export const TOO_LARGE = error('E_QUERY_TOO_LARGE');
export const WRONG_ROW = 'the row is rejected';
export const NO_IMPORT = '422 `import_failed`; nothing is imported';
export const NOT_SAVED = 'nothing is saved; the response names the field';

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'];

/** Formats a size in the largest unit that divides it. */
export function bytes(count: number, unit = 0): string {
  if (count % 1024 === 0 && unit + 1 < UNITS.length) return bytes(count / 1024, unit + 1);
  return `${count.toLocaleString('en')} ${UNITS[unit]}`;
}

export const seconds = (milliseconds: number): string => `${milliseconds / 1000} s`;
export const characters = (count: number): string => `${count.toLocaleString('en')} characters`;

/** The default value of a setting. */
export function usual(variable: string): number {
  const fallback = listSettings(PRODUCT.extensions).find((one) => one.variable === variable)?.fallback;
  if (fallback === undefined) throw new Error(`docs/limits names ${variable}, which has no default.`);
  return Number(fallback);
}

export const megabytes = (variable: string): string => bytes(usual(variable) * 2 ** 20);
