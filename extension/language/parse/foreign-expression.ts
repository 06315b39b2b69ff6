// Columns and calls in the style of SQL or of the QAL reference's examples: `url`, `COUNT(*)`, `{"count": "*"}`, `AVG(x)`.
import { columnSynonym, renamedColumn } from '../names/foreign-columns';
import { countedColumn, functionNamed } from '../names/foreign-functions';
import { metricHint } from '../names/metrics';
import { isJsonObject, type JsonValue } from '../types/json';
import { certainly, type Edit, probably, type Repair } from '../types/repair';
import { MAX_TEXT_LENGTH } from './foreign-form';
import type { LooseSource } from './loose-source';
import { QUALIFIED_NAME } from './query-schema';

/** A QAL expression, and whether it is the only possible meaning. */
interface RightForm {
  readonly text: string;
  readonly certain: boolean;
}

export const repairTo = (
  form: RightForm | undefined,
  edits: (text: string) => readonly Edit[],
): Repair | undefined => form && (form.certain ? certainly : probably)(...edits(form.text));

const CALL = /[A-Za-z_]\w*\s*\([^()]*\)/g;

/** The QAL form of a string whose calls each take one column, or of `{"count": "*"}`. */
export function rightForm(received: JsonValue | undefined, source: LooseSource): RightForm | undefined {
  const text = textOf(received);
  const forms: (RightForm | undefined)[] = [];
  const meant = text.replace(CALL, (call) => {
    const right = rightCall(call, source);
    forms.push(right);
    return right?.text ?? call;
  });
  const isWhole = forms.length > 0 && forms.every((form) => form !== undefined);
  return isWhole ? { text: meant.trim(), certain: forms.every((form) => form?.certain) } : undefined;
}

/** Writes `{"count": "x"}` as `count(x)`. */
function textOf(received: JsonValue | undefined): string {
  if (typeof received === 'string') return received.length > MAX_TEXT_LENGTH ? '' : received;
  const [[name, column] = [], ...others] = isJsonObject(received) ? Object.entries(received) : [];
  return typeof column === 'string' && others.length === 0 ? textOf(`${name}(${column})`) : '';
}

function rightCall(call: string, source: LooseSource): RightForm | undefined {
  const [, word = '', distinct, argument = '', share = ''] =
    /^(\w+)\s*\(\s*(distinct\s)?\s*([^,]*?)\s*(,.*)?\)$/i.exec(call) ?? [];
  const found = functionNamed(word);
  const name = distinct === undefined ? found : found === 'COUNT' ? 'COUNTUNIQUE' : undefined;
  const isAll = /^(?:\*|1|)$/.test(argument);
  if (name === undefined || (isAll && name !== 'COUNT')) return undefined;
  const reference = isAll ? countedReference(source) : rightReference(argument, source);
  // Other languages write a percentile as a fraction between 0 and 1.
  const certain = reference?.certain === true && !/^,\s*0?\./.test(share);
  return reference && { text: `${name}(${reference.text}${share})`, certain };
}

/** The calc or column whose count is the number of rows, since it is never null. */
function countedReference(source: LooseSource): RightForm | undefined {
  const { name, material, outputs, counts, joined, hasJoins } = source;
  const column = countedColumn(material);
  const [count] = counts;
  if (count !== undefined) return { text: `${name}.${count}`, certain: joined !== '' };
  if (hasJoins || outputs?.includes(column) === false) return undefined;
  return { text: `${name}.${column}`, certain: joined !== '' };
}

/** The column that a string refers to, with its source and current name. */
export function rightReference(text: string, { name, outputs, joined }: LooseSource): RightForm | undefined {
  const trimmed = text.trim();
  if (QUALIFIED_NAME.test(trimmed)) return { text: trimmed, certain: true };
  if (!/^\w+$/.test(trimmed) || (outputs === undefined && metricHint(trimmed) !== undefined))
    return undefined;
  // An event's parameters may have any name.
  const isSourceColumn = outputs?.includes(trimmed) === true || name.startsWith('events.');
  const column = isSourceColumn ? trimmed : (columnSynonym(trimmed) ?? trimmed);
  const isSame = column === trimmed || column === renamedColumn(trimmed);
  return { text: `${name}.${column}`, certain: isSame && joined === undefined };
}
