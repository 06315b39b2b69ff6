// Owns the faults inside the texts of `keep` and `calc`.
// the text received -> the error with that very text in its right form.
import { type QueryError, queryError } from '../../errors/query-error';
import { nearest } from '../names/nearest';
import { columnSynonym, functionSynonym } from '../names/synonyms';
import { usableName } from '../names/usable-name';
import { isJsonList, isJsonObject, type JsonValue, valueAt } from '../types/json';
import { CALC_FUNCTIONS } from '../types/parsed-query';
import { formatPath, type Path } from '../types/path';
import { CALC_EXPRESSION, OUTPUT_NAME } from './query-schema';
import type { Fault } from './shape-faults';

/** Longer texts get no repair. */
const LONGEST = 200;

/** The source that the view reads, as far as it can be told from a query that is not valid. */
function sourceOf(query: JsonValue, path: Path): string {
  const from = valueAt(query, [...path.slice(0, 2), 'from']);
  const first = isJsonList(from) ? from[0] : from;
  return typeof first === 'string' ? first : 'allpv';
}

/** The column that a loose text means: without its source, its alias and its old name. */
function meantColumn(text: string): string | undefined {
  const bare = /[A-Za-z0-9_]+$/.exec(text.trim().split(/\s+/)[0] ?? '')?.[0];
  return bare === undefined ? undefined : (columnSynonym(bare) ?? bare);
}

const meantFunction = (written: string): string | undefined =>
  functionSynonym(written) ?? nearest(written, CALC_FUNCTIONS);

/** An entry of `keep` that is not `source.column`. */
export function keepEntryFault({ at, path, received, query }: Fault): QueryError {
  const source = sourceOf(query, path);
  if (typeof received !== 'string') {
    const hint = `Write text such as "${source}.url".`;
    return queryError('E_UNKNOWN_COLUMN', at, { problem: 'unqualified', received, hint });
  }
  if (received.includes('(')) {
    const expression = rightForm(received, source);
    const name = usableName(expression.toLowerCase(), 'value');
    const hint = `Move it to "calc": {"${name}": "${expression}"}.`;
    return queryError('E_KEEP_EXPR_FORBIDDEN', at, { received, hint });
  }
  const column = meantColumn(received.slice(0, LONGEST));
  const hint = column === undefined ? undefined : `Write "${source}.${column}".`;
  return queryError('E_UNKNOWN_COLUMN', at, { problem: 'unqualified', received, hint });
}

/** A calc whose name or expression is malformed, or whose function does not exist. */
export function calcExpressionFault({ path, received, query }: Fault): QueryError {
  const name = String(path[3]);
  const at = formatPath(path.slice(0, 4));
  if (!OUTPUT_NAME.test(name)) {
    const repaired = usableName(name, 'value');
    return queryError('E_CALC_INVALID_EXPRESSION', at, {
      problem: 'name',
      name,
      reason: 'pattern',
      repaired,
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
  const hint = `Write "${name.slice(0, LONGEST)}": "${rightForm(received, sourceOf(query, path))}".`;
  return queryError('E_CALC_INVALID_EXPRESSION', at, { problem: 'expression', received, hint });
}

/** `COUNT(*)`, `{"count": "*"}`, `AVG(browse_sec)` and the like, written as QAL wants it. */
function rightForm(received: JsonValue | undefined, source: string): string {
  const [written, argument] = callIn(received);
  const name = meantFunction(written) ?? 'COUNT';
  const reference = argument.replace(/^\s*distinct\s+/i, '');
  const isDistinct = reference !== argument;
  return `${name === 'COUNT' && isDistinct ? 'COUNTUNIQUE' : name}(${source}.${meantColumn(reference) ?? 'pv_id'})`;
}

function callIn(received: JsonValue | undefined): readonly [name: string, argument: string] {
  if (typeof received === 'string') {
    const call = /^\s*([A-Za-z_]*)\s*\(?([^)]*)\)?/.exec(received.slice(0, LONGEST));
    return [call?.[1] ?? '', call?.[2] ?? ''];
  }
  if (!isJsonObject(received)) return ['COUNT', '*'];
  const texts = Object.entries(received).flatMap(([key, value]) =>
    typeof value === 'string' ? [key, value] : [key],
  );
  const name = texts.find((text) => meantFunction(text) !== undefined) ?? 'COUNT';
  const argument = texts.find((text) => text.includes('.')) ?? texts.at(-1) ?? '*';
  return [name, argument.slice(0, LONGEST)];
}
