// Owns the faults inside the texts of `keep` and `calc`.
// the text received -> the error with that very text in its right form.
import { isEnabled } from '../../contracts/contract';
import { type QueryError, queryError } from '../../errors/query-error';
import { countedColumn } from '../names/counted-column';
import { cutTime } from '../names/cut-time';
import { columnSynonym, functionSynonym, nearFunction, renamedColumn } from '../names/synonyms';
import { usableName } from '../names/usable-name';
import { isJsonObject, type JsonValue, valueAt } from '../types/json';
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
export function keepEntryFault(fault: Fault): QueryError {
  const { at, path, received, query } = fault;
  const source = looseSource(query, path);
  const known = { problem: 'unqualified', material: source.name, received } as const;
  if (typeof received !== 'string') return queryError('E_UNKNOWN_COLUMN', at, known);
  if (received.includes('(')) return keptExpressionFault(received, source, fault);
  const meant = meantReference(received.slice(0, LONGEST), source);
  const repair = meant === undefined ? undefined : repairOf(meant)(write(path, meant.text));
  return queryError('E_UNKNOWN_COLUMN', at, known, repair);
}

/** A time cut to its day is a column of its own; a function belongs to calc. */
function keptExpressionFault(
  received: string,
  source: LooseSource,
  { at, path, query, contract }: Fault,
): QueryError {
  const column = isEnabled(contract, 'allpv_time_parts') ? cutTime(received.slice(0, LONGEST)) : undefined;
  if (column !== undefined && source.outputs === undefined) {
    const repair = probably(write(path, `${source.name}.${column}`));
    return queryError('E_KEEP_EXPR_FORBIDDEN', at, { received }, repair);
  }
  const meant = isEnabled(contract, 'calc') ? rightForm(received, source, functionOf) : undefined;
  if (meant === undefined) return queryError('E_KEEP_EXPR_FORBIDDEN', at, { received });
  const name = usableName(meant.text.toLowerCase(), 'value');
  const calc = [...path.slice(0, 2), 'calc', name];
  const isFree = valueAt(query, calc) === undefined;
  const repair = isFree ? repairOf(meant)(remove(path), write(calc, meant.text)) : undefined;
  const moved = { name, expression: meant.text };
  return queryError('E_KEEP_EXPR_FORBIDDEN', at, { received, moved }, repair);
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
  const source = looseSource(query, path);
  const meant = rightForm(received, source, (written) => functionOf(written) ?? nearFunction(written));
  const repair = meant && repairOf(meant)(write(place, meant.text));
  const written = typeof received === 'string' ? CALC_EXPRESSION.exec(received)?.[1] : undefined;
  if (written === undefined) {
    const uncounted = meant === undefined && countsAll(callIn(received)) ? uncountedIn(source) : undefined;
    return queryError(
      'E_CALC_INVALID_EXPRESSION',
      at,
      { problem: 'expression', received, uncounted },
      repair,
    );
  }
  return queryError(
    'E_CALC_INVALID_FUNCTION',
    at,
    { received: written, functions: CALC_FUNCTIONS, nearest: nearFunction(written) },
    functionOf(written) === undefined ? undefined : repair,
  );
}

/** `COUNT(*)`, `{"count": "*"}`, `AVG(browse_sec)` and the like, written as QAL wants it; nothing of it is left out. */
function rightForm(
  received: JsonValue | undefined,
  source: LooseSource,
  find: (written: string) => CalcFunction | undefined,
): Meant | undefined {
  const call = callIn(received);
  const found = call === undefined ? undefined : find(call.name);
  if (call === undefined || found === undefined) return undefined;
  const name = found === 'COUNT' && call.distinct ? 'COUNTUNIQUE' : found;
  const all = countsAll(call);
  const isSensible = all || (!isEverything(call.argument) && (!call.distinct || name === 'COUNTUNIQUE'));
  const reference = all ? countedReference(source) : meantReference(call.argument, source);
  if (!isSensible || reference === undefined) return undefined;
  const certain = functionOf(call.name) !== undefined && reference.certain;
  return { text: `${name}(${reference.text})`, certain };
}

const isEverything = (argument: string): boolean => /^(\*|1|)$/.test(argument);

const countsAll = (call: Call | undefined): boolean =>
  call !== undefined && !call.distinct && call.name.toUpperCase() === 'COUNT' && isEverything(call.argument);

function functionOf(written: string): CalcFunction | undefined {
  const upper = written.toUpperCase();
  return CALC_FUNCTIONS.find((name) => name === upper) ?? functionSynonym(written);
}

interface Call {
  readonly name: string;
  readonly argument: string;
  readonly distinct: boolean;
}

/** One function of one thing, when nothing else was written. */
function callIn(received: JsonValue | undefined): Call | undefined {
  if (typeof received === 'string') {
    const text = received.length > LONGEST ? '' : received;
    const [, name, argument = ''] = /^\s*([A-Za-z_]+)\s*\(([^()]*)\)\s*$/.exec(text) ?? [];
    return name === undefined ? undefined : callOf(name, argument);
  }
  if (!isJsonObject(received)) return undefined;
  const entries = Object.entries(received);
  const texts = entries.flatMap(([key, value]) => (typeof value === 'string' ? [key, value] : [key]));
  const candidates = entries.length === 1 ? texts : texts.filter((_, index) => index % 2 === 1);
  const name = candidates.find((text) => functionOf(text) !== undefined);
  const [argument, ...others] = candidates.filter((text) => text !== name);
  const isWhole = others.length === 0 && texts.length === 2 * entries.length;
  if (!isWhole || name === undefined || argument === undefined || argument.length > LONGEST) return undefined;
  return callOf(name, argument);
}

function callOf(name: string, written: string): Call {
  const argument = written.trim().replace(/^distinct\s+/i, '');
  return { name, argument, distinct: argument !== written.trim() };
}

/** What counts all rows: a column that is never empty, or a count. */
function countedReference(source: LooseSource): Meant | undefined {
  const { name, material, outputs, counts, joined, isOfJoins } = source;
  const column = countedColumn(material);
  const [count] = counts;
  if (count !== undefined) return { text: `${name}.${count}`, certain: joined !== '' };
  if (isOfJoins || outputs?.includes(column) === false) return undefined;
  return { text: `${name}.${column}`, certain: joined !== '' };
}

/** The view whose rows no column is sure to count, and the column that would. */
const uncountedIn = ({ name, material, outputs, calculates }: LooseSource) =>
  outputs === undefined ? undefined : { view: name, column: countedColumn(material), calculates };

/** The column that a loose text means: with its source, without an alias and an old name. */
function meantReference(text: string, { name, outputs, joined }: LooseSource): Meant | undefined {
  const trimmed = text.trim();
  if (QUALIFIED_NAME.test(trimmed)) return { text: trimmed, certain: true };
  const bare = /[A-Za-z0-9_]+$/.exec(trimmed.split(/\s+/)[0] ?? '')?.[0];
  if (bare === undefined) return undefined;
  const renamed = renamedColumn(bare);
  // An event may have a parameter of any name.
  const isOwn = outputs?.includes(bare) === true || name.startsWith('events.');
  const column = isOwn ? bare : (columnSynonym(bare) ?? bare);
  const isSame = column === bare || column === renamed;
  return { text: `${name}.${column}`, certain: isSame && bare === trimmed && joined === undefined };
}
