// How much memory a result takes, as V8 lays values out on 64 bits: a generous estimate, so that a bound on the sum bounds
// the memory.
import type { QueryResult, Value } from '../qal/types/query-result';

const SLOT = 8;
/** A list that was filled row by row has spare room. */
const SPARE = 2;
/** An array, and the object that holds its elements. */
const ARRAY = 48;
/** Latin text takes half of this. */
const CHARACTER = 2;
const STRING = 24;
const BOXED_NUMBER = 16;
/** The result object, its key, and the cache's own entry for both. */
const ENTRY = 512;

/** An upper estimate of the bytes that a cached result takes. */
export function resultBytes({ view, columns, rows }: QueryResult): number {
  let bytes = ENTRY + textBytes(view) + listBytes(columns) + ARRAY + SPARE * SLOT * rows.length;
  for (const row of rows) bytes += listBytes(row);
  return bytes;
}

function listBytes(values: readonly Value[]): number {
  let bytes = ARRAY;
  for (const value of values) bytes += SLOT + valueBytes(value);
  return bytes;
}

function valueBytes(value: Value): number {
  if (typeof value === 'string') return textBytes(value);
  return value === null || isSmall(value) ? 0 : BOXED_NUMBER;
}

const textBytes = (text: string): number => STRING + CHARACTER * text.length;

/** V8 stores such numbers in the slot itself. */
const isSmall = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 30;
