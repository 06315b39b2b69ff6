// Owns the faults inside the texts of `keep` and `calc`.
// the text received -> the error with that very text in its right form.
import { type QueryError, queryError } from '../../errors/query-error';
import { countedColumn } from '../names/counted-column';
import { nearest } from '../names/nearest';
import { columnSynonym, functionSynonym, renamedColumn } from '../names/synonyms';
import { usableName } from '../names/usable-name';
import { isJsonObject, type JsonValue } from '../types/json';
import { CALC_FUNCTIONS, type CalcFunction } from '../types/parsed-query';
import { formatPath } from '../types/path';
import { certainly, probably, type Repair, remove, rename, write } from '../types/repair';
import { type LooseSource, looseSource } from './loose-source';
import { CALC_EXPRESSION, OUTPUT_NAME, QUALIFIED_NAME } from './query-schema';
import type { Fault } from './shape-faults';

/** Longer texts get no repair. */
const LONGEST = 200;

/** Something in its right form, and whether it can be nothing else. */
interface Meant {
  readonly text: string;
  readonly certain: boolean;
}

const repairOf = ({ certain }: Meant): ((...edits: Repair['edits']) => Repair) =>
  certain ? certainly : probably;

/** An entry of `keep` that is not `source.column`. */
export function keepEntryFault({ at, path, received, query }: Fault): QueryError {
  const source = looseSource(query, path);
  const known = { problem: 'unqualified', material: source.name, received } as const;
  if (typeof received !== 'string') return queryError('E_UNKNOWN_COLUMN', at, known);
  if (received.includes('(')) {
    const meant = rightForm(received, source);
    const name = usableName(meant.text.toLowerCase(), 'value');
    const calc = [...path.slice(0, 2), 'calc', name];
    const repair = repairOf(meant)(remove(path), write(calc, meant.text));
    return queryError('E_KEEP_EXPR_FORBIDDEN', at, { received, name, expression: meant.text }, repair);
  }
  const meant = meantReference(received.slice(0, LONGEST), source);
  const repair = meant === undefined ? undefined : repairOf(meant)(write(path, meant.text));
  return queryError('E_UNKNOWN_COLUMN', at, known, repair);
}

/** A calc whose name or expression is malformed, or whose function does not exist. */
export function calcExpressionFault({ path, received, query }: Fault): QueryError {
  const name = String(path[3]);
  const place = path.slice(0, 4);
  const at = formatPath(place);
  if (!OUTPUT_NAME.test(name)) {
    const repair = probably(rename(place, usableName(name, 'value')));
    return queryError('E_CALC_INVALID_EXPRESSION', at, { problem: 'name', name, reason: 'pattern' }, repair);
  }
  const meant = rightForm(received, looseSource(query, path));
  const repair = repairOf(meant)(write(place, meant.text));
  const written = typeof received === 'string' ? CALC_EXPRESSION.exec(received)?.[1] : undefined;
  if (written === undefined)
    return queryError('E_CALC_INVALID_EXPRESSION', at, { problem: 'expression', received }, repair);
  return queryError(
    'E_CALC_INVALID_FUNCTION',
    at,
    { received: written, functions: CALC_FUNCTIONS, nearest: nearest(written, CALC_FUNCTIONS) },
    functionOf(written) === undefined ? undefined : repair,
  );
}

/** `COUNT(*)`, `{"count": "*"}`, `AVG(browse_sec)` and the like, written as QAL wants it. */
function rightForm(received: JsonValue | undefined, source: LooseSource): Meant {
  const call = callIn(received);
  const known = functionOf(call.name);
  const written = known ?? nearest(call.name, CALC_FUNCTIONS) ?? 'COUNT';
  const name = written === 'COUNT' && call.distinct ? 'COUNTUNIQUE' : written;
  const all = /^(\*|1|)$/.test(call.argument);
  const reference = all ? countedReference(source) : meantReference(call.argument, source);
  const sensible = (!call.distinct || name === 'COUNTUNIQUE') && (!all || name === 'COUNT');
  return {
    text: `${name}(${reference?.text ?? countedReference(source).text})`,
    certain: call.whole && known !== undefined && sensible && reference?.certain === true,
  };
}

const isFunction = (written: string): boolean =>
  CALC_FUNCTIONS.some((name) => name === written.toUpperCase());

function functionOf(written: string): CalcFunction | undefined {
  const upper = written.toUpperCase();
  return CALC_FUNCTIONS.find((name) => name === upper) ?? functionSynonym(written);
}

interface Call {
  readonly name: string;
  readonly argument: string;
  readonly distinct: boolean;
  /** Whether nothing else was written. */
  readonly whole: boolean;
}

function callIn(received: JsonValue | undefined): Call {
  if (typeof received === 'string') {
    const text = received.slice(0, LONGEST);
    const [, name = '', argument = ''] = /^\s*([A-Za-z_]*)\s*\(?([^)]*)\)?/.exec(text) ?? [];
    return { ...callOf(name, argument), whole: /^\s*[A-Za-z_]+\s*\([^()]*\)\s*$/.test(text) };
  }
  if (!isJsonObject(received)) return { ...callOf('COUNT', '*'), whole: false };
  const entries = Object.entries(received);
  const texts = entries.flatMap(([key, value]) => (typeof value === 'string' ? [key, value] : [key]));
  const candidates = entries.length === 1 ? texts : texts.filter((_, index) => index % 2 === 1);
  const name = candidates.find(isFunction) ?? candidates.find((text) => functionSynonym(text) !== undefined);
  const rest = candidates.filter((text) => text !== name);
  const whole = name !== undefined && rest.length === 1 && texts.length === 2 * entries.length;
  const argument = (whole ? rest[0] : texts.find((text) => text.includes('.'))) ?? '*';
  return { ...callOf(name ?? 'COUNT', argument.slice(0, LONGEST)), whole };
}

function callOf(name: string, written: string): Omit<Call, 'whole'> {
  const argument = written.trim().replace(/^distinct\s+/i, '');
  return { name, argument, distinct: argument !== written.trim() };
}

/** The column that counts all rows. */
function countedReference({ name, material, outputs, joined, isOfJoins }: LooseSource): Meant {
  const column = countedColumn(material);
  const [first] = outputs ?? [];
  const isThere = outputs === undefined || first === undefined || outputs.includes(column);
  return { text: `${name}.${isThere ? column : first}`, certain: isThere && !isOfJoins && joined !== '' };
}

/** The column that a loose text means: with its source, without an alias and an old name. */
function meantReference(text: string, { name, outputs, joined }: LooseSource): Meant | undefined {
  const trimmed = text.trim();
  if (QUALIFIED_NAME.test(trimmed)) return { text: trimmed, certain: true };
  const bare = /[A-Za-z0-9_]+$/.exec(trimmed.split(/\s+/)[0] ?? '')?.[0];
  if (bare === undefined) return undefined;
  const renamed = renamedColumn(bare);
  const isOutput = outputs?.includes(bare) === true;
  const column = isOutput ? bare : (columnSynonym(bare) ?? bare);
  const isSame = column === bare || column === renamed;
  return { text: `${name}.${column}`, certain: isSame && bare === trimmed && joined === undefined };
}
