// What a limit is, and its numbers in words.
import { ERRORS } from '../../extension/language/errors/error-table';
import { PRODUCT } from '../../host-shim/main';
import { listSettings } from '../../host-shim/server/config';

export interface Limit {
  readonly of: string;
  readonly most: string;
  readonly beyond: string;
  readonly settings: readonly string[];
}

export const limit = (
  of: string,
  most: number | string,
  beyond: string,
  ...settings: readonly string[]
): Limit => ({
  of,
  most: typeof most === 'number' ? most.toLocaleString('en') : most,
  beyond,
  settings,
});

/** An error of the query interface with its status. */
export const error = (code: keyof typeof ERRORS): string => `${ERRORS[code].status} \`${code}\``;

export const TOO_LARGE = error('E_QUERY_TOO_LARGE');
export const WRONG_ROW = 'the row is rejected';
export const NO_IMPORT = '422 `import_failed`; nothing is imported';
export const NOT_SAVED = 'nothing is saved; the answer names the field';

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'];

/** In the largest unit that counts them whole. */
export function bytes(count: number, unit = 0): string {
  if (count % 1024 === 0 && unit + 1 < UNITS.length) return bytes(count / 1024, unit + 1);
  return `${count.toLocaleString('en')} ${UNITS[unit]}`;
}

export const seconds = (milliseconds: number): string => `${milliseconds / 1000} s`;
export const characters = (count: number): string => `${count.toLocaleString('en')} characters`;

/** The value of a setting that is not set. */
export function usual(variable: string): number {
  const fallback = listSettings(PRODUCT.extensions).find((one) => one.variable === variable)?.fallback;
  if (fallback === undefined) throw new Error(`docs/limits names ${variable}, which has no default.`);
  return Number(fallback);
}

export const megabytes = (variable: string): string => bytes(usual(variable) * 2 ** 20);
