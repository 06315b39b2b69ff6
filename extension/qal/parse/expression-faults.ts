// Owns the faults inside the texts of `keep` and `calc`.
// the text received -> the error with that very text in its right form.
import { type QueryError, queryError } from '../../errors/query-error';
import { nearest } from '../names/nearest';
import type { JsonValue } from '../types/json';
import { CALC_FUNCTIONS, type CalcFunction } from '../types/parsed-query';
import { formatPath, type Path } from '../types/path';
import { CALC_EXPRESSION, OUTPUT_NAME } from './query-schema';
import type { Fault } from './shape-faults';

/** The source that the view reads, as far as it can be told from a query that is not valid. */
function sourceOf(query: JsonValue, path: Path): string {
  const view = property(property(query, 'make'), String(path[1]));
  const from = property(view, 'from');
  const first = Array.isArray(from) ? from[0] : from;
  return typeof first === 'string' ? first : 'allpv';
}

function property(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (value === undefined || value === null || typeof value !== 'object' || Array.isArray(value))
    return undefined;
  return (value as { readonly [key: string]: JsonValue })[key];
}

/** Names that other languages give to our functions. */
const FUNCTION_SYNONYMS: Readonly<Record<string, CalcFunction>> = {
  AVG: 'AVERAGE',
  MEAN: 'AVERAGE',
  COUNTDISTINCT: 'COUNTUNIQUE',
  COUNT_DISTINCT: 'COUNTUNIQUE',
  DISTINCT: 'COUNTUNIQUE',
  UNIQUE: 'COUNTUNIQUE',
  TOTAL: 'SUM',
};

const meantFunction = (written: string): string | undefined =>
  FUNCTION_SYNONYMS[written.toUpperCase()] ?? nearest(written, CALC_FUNCTIONS);

const words = (text: string): string => text.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^_+|_+$/g, '');

/** An entry of `keep` that is not `source.column`. */
export function keepEntryFault({ at, path, received, query }: Fault): QueryError {
  const source = sourceOf(query, path);
  if (typeof received !== 'string') {
    return queryError('E_UNKNOWN_COLUMN', at, {
      problem: 'unqualified',
      received,
      hint: `Write text such as "${source}.url".`,
    });
  }
  if (received.includes('(')) {
    const expression = CALC_EXPRESSION.test(received) ? received.trim() : `COUNT(${source}.pv_id)`;
    const hint = `Move it to "calc": {"${words(expression.toLowerCase())}": "${expression}"}.`;
    return queryError('E_KEEP_EXPR_FORBIDDEN', at, { received, hint });
  }
  const column = words(received.split('.').at(-1) ?? '');
  const hint = `Write "${source}.${column || 'url'}".`;
  return queryError('E_UNKNOWN_COLUMN', at, { problem: 'unqualified', received, hint });
}

/** A calc whose name or expression is malformed, or whose function does not exist. */
export function calcExpressionFault({ path, received, query }: Fault): QueryError {
  const name = String(path[3]);
  const at = formatPath(path.slice(0, 4));
  if (!OUTPUT_NAME.test(name)) {
    return queryError('E_CALC_INVALID_EXPRESSION', at, {
      problem: 'name',
      name,
      reason: 'pattern',
      repaired: words(name) || 'value',
    });
  }
  const written = typeof received === 'string' ? CALC_EXPRESSION.exec(received)?.[1] : undefined;
  if (written !== undefined) {
    return queryError('E_CALC_INVALID_FUNCTION', at, {
      received: written,
      functions: CALC_FUNCTIONS,
      nearest: meantFunction(written),
    });
  }
  const hint = `Write "${name}": "${rightForm(received, sourceOf(query, path))}".`;
  return queryError('E_CALC_INVALID_EXPRESSION', at, { problem: 'expression', received, hint });
}

/** `COUNT(*)`, `{"count": "*"}`, `COUNT(url)` and the like, written as QAL wants it. */
function rightForm(received: JsonValue | undefined, source: string): string {
  const [written, argument] = callIn(received);
  const name = meantFunction(written) ?? 'COUNT';
  const distinct = /^\s*distinct\s+/i.test(argument);
  const reference = argument.replace(/^\s*distinct\s+/i, '').trim();
  const column = words(reference.split('.').at(-1) ?? '') || 'pv_id';
  return `${name === 'COUNT' && distinct ? 'COUNTUNIQUE' : name}(${source}.${column})`;
}

function callIn(received: JsonValue | undefined): readonly [name: string, argument: string] {
  if (typeof received === 'string') {
    const call = /^\s*([A-Za-z_]*)\s*\(?([^)]*)\)?/.exec(received);
    return [call?.[1] ?? '', call?.[2] ?? ''];
  }
  if (received !== undefined && received !== null && typeof received === 'object') {
    const [pair] = Object.entries(received);
    if (pair !== undefined) return [pair[0], String(pair[1])];
  }
  return ['COUNT', '*'];
}
