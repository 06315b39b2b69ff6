// Owns how much memory a result takes: counted generously, so that a bound on the sum is a bound on the memory.
// QueryResult -> bytes, as V8 lays values out on 64 bits.
import type { QueryResult, Value } from '../qal/types/query-result';

const SLOT = 8;
/** A list that was filled row by row has room for more. */
const SPARE = 2;
/** An array by itself, and the object that it keeps its elements in. */
const ARRAY = 48;
/** Texts of Latin letters take half of this. */
const CHARACTER = 2;
const STRING = 24;
const BOXED_NUMBER = 16;
/** The object of the result, its key, and the places where the cache keeps both. */
const ENTRY = 512;

/** An upper estimate of the bytes that a kept result takes. */
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

/** Such numbers stand in the slot itself. */
const isSmall = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 30;
