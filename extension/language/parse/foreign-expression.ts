// Columns and calls in the syntax of other languages: `url`, `COUNT(*)`, `{"sum": "browse_sec"}`, `AVG(x)`.
import { columnSynonym, renamedColumn } from '../names/foreign-columns';
import { countedColumn, functionNamed } from '../names/foreign-functions';
import { isJsonObject, type JsonValue } from '../types/json';
import type { CalcFunction } from '../types/parsed-query';
import { certainly, type Edit, probably, type Repair } from '../types/repair';
import { LONGEST_TEXT } from './foreign-form';
import type { LooseSource } from './loose-source';
import { QUALIFIED_NAME } from './query-schema';

/** QAL text, and whether it is the only possible meaning. */
export interface RightForm {
  readonly text: string;
  readonly certain: boolean;
}

export const repairTo = (
  form: RightForm | undefined,
  edits: (text: string) => readonly Edit[],
): Repair | undefined => form && (form.certain ? certainly : probably)(...edits(form.text));

/** The QAL form of a call such as `COUNT(*)`, `{"count": "*"}` or `AVG(browse_sec)`. */
export function rightForm(
  received: JsonValue | undefined,
  source: LooseSource,
  find: (written: string) => CalcFunction | undefined,
): RightForm | undefined {
  const call = callIn(received);
  const found = call === undefined ? undefined : find(call.name);
  if (call === undefined || found === undefined || found === 'PERCENTILE') return undefined;
  const name = found === 'COUNT' && call.distinct ? 'COUNTUNIQUE' : found;
  const all = countsAll(call);
  const isSensible = all || (!isEverything(call.argument) && (!call.distinct || name === 'COUNTUNIQUE'));
  const reference = all ? countedReference(source) : rightReference(call.argument, source);
  if (!isSensible || reference === undefined) return undefined;
  const certain = functionNamed(call.name) !== undefined && reference.certain;
  return { text: `${name}(${reference.text})`, certain };
}

const isEverything = (argument: string): boolean => /^(\*|1|)$/.test(argument);

export const countsAll = (call: Call | undefined): boolean =>
  call !== undefined && !call.distinct && call.name.toUpperCase() === 'COUNT' && isEverything(call.argument);

interface Call {
  readonly name: string;
  readonly argument: string;
  readonly distinct: boolean;
}

/** A call with one argument, and nothing else. */
export function callIn(received: JsonValue | undefined): Call | undefined {
  if (typeof received === 'string') {
    const text = received.length > LONGEST_TEXT ? '' : received;
    const [, name, argument = ''] = /^\s*([A-Za-z_]+)\s*\(([^()]*)\)\s*$/.exec(text) ?? [];
    return name === undefined ? undefined : callOf(name, argument);
  }
  if (!isJsonObject(received)) return undefined;
  const entries = Object.entries(received);
  const texts = entries.flatMap(([key, value]) => (typeof value === 'string' ? [key, value] : [key]));
  // All strings in `{"count": "x"}`, but only the values in `{"func": "count", "column": "x"}`.
  const candidates = entries.length === 1 ? texts : texts.filter((_, index) => index % 2 === 1);
  const name = candidates.find((text) => functionNamed(text) !== undefined);
  const [argument, ...others] = candidates.filter((text) => text !== name);
  const isWhole = others.length === 0 && texts.length === 2 * entries.length;
  if (!isWhole || name === undefined || argument === undefined || argument.length > LONGEST_TEXT)
    return undefined;
  return callOf(name, argument);
}

function callOf(name: string, written: string): Call {
  const argument = written.trim().replace(/^distinct\s+/i, '');
  return { name, argument, distinct: argument !== written.trim() };
}

/** What to count for the number of rows: a calc or column that is never null. */
function countedReference({
  name,
  material,
  outputs,
  counts,
  joined,
  hasJoins,
}: LooseSource): RightForm | undefined {
  const column = countedColumn(material);
  const [count] = counts;
  if (count !== undefined) return { text: `${name}.${count}`, certain: joined !== '' };
  if (hasJoins || outputs?.includes(column) === false) return undefined;
  return { text: `${name}.${column}`, certain: joined !== '' };
}

const ALIASED = /^(?:[\w-]*\.)*(\w+)(?:\s+(?:as\s+)?\w+)?$/i;

/** The column that a text means, with its source and its current name. An alias is dropped. */
export function rightReference(text: string, { name, outputs, joined }: LooseSource): RightForm | undefined {
  const trimmed = text.trim();
  if (QUALIFIED_NAME.test(trimmed)) return { text: trimmed, certain: true };
  const bare = ALIASED.exec(trimmed)?.[1];
  if (bare === undefined) return undefined;
  // An event may have parameters of any name.
  const isOwn = outputs?.includes(bare) === true || name.startsWith('events.');
  const column = isOwn ? bare : (columnSynonym(bare) ?? bare);
  const isSame = column === bare || column === renamedColumn(bare);
  return { text: `${name}.${column}`, certain: isSame && bare === trimmed && joined === undefined };
}
