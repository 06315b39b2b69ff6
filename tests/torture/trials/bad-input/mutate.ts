// Randomly changes valid input: JSON, form and query fields, and any other text.
import type { Dice } from '../../../language/interpreter/random/dice';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type Fields = readonly (readonly [name: string, value: string])[];

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'then',
  'x-note',
  '',
  ' ',
  '\0',
  '\ud800',
  'ｕｒｌ',
  '0',
];

const TEXTS = [
  ...NAMES,
  '\u202eabc\u200d\ufeff',
  'e\u0301\u{1f468}\u200d\u{1f469}',
  "' OR ''='",
  '"><script>alert(1)</script>',
  '\r\nSet-Cookie: a=b',
  '../../../../etc/passwd',
  '%00%zz%ff',
  '$1 ?? :name {{x}} <%= x %>',
  '=1+cmd|x!A1',
  '2026-02-30T25:61:61',
  '9'.repeat(400),
  '1e400',
  '-0',
  'NaN',
  '((((((((((a+)+)+)+)+)+)+)+)+)+$',
  'a'.repeat(5_000),
  ' '.repeat(60_000),
  'COUNT('.repeat(3_000),
];

/** Values as JSON source text, some of them invalid. */
const RAW = [
  '1e400',
  '-1e400',
  '-0',
  '1E-400',
  '9007199254740993',
  '0.1',
  '1e21',
  'true',
  'null',
  '[]',
  '{}',
  '""',
  '[[]]',
  '[null]',
  '{"":null}',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '"\\ud800"',
  '"\\u0000"',
  '"\\udc00\\ud800"',
  'NaN',
  'Infinity',
  '01',
  "'x'",
  'undefined',
  '/**/1',
  '',
];

const deep = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);

function anyValue(dice: Dice): string {
  switch (dice.below(6)) {
    case 0:
      return deep('[', ']', dice.pick([50, 1_000, 20_000, 100_000]));
    case 1:
      return deep('{"a":', '}', dice.pick([50, 1_000, 20_000])).replace(':}', ':1}');
    case 2:
      return `[${Array.from({ length: dice.pick([10, 300, 5_000]) }, () => dice.pick(RAW.slice(0, 8))).join()}]`;
    case 3:
      return JSON.stringify(dice.pick(TEXTS));
    default:
      return dice.pick(RAW);
  }
}

const isObject = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const membersOf = (value: Json): readonly (readonly [string, Json])[] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

/** The number of values, including the document itself. */
const sizeOf = (value: Json): number => 1 + membersOf(value).reduce((sum, [, one]) => sum + sizeOf(one), 0);

/** Returns the document as text with one of its values changed. */
export function mutateJson(whole: Json, dice: Dice): string {
  let left = dice.below(sizeOf(whole));
  const kind = dice.below(6);
  function write(value: Json): string {
    const isChosen = left-- === 0;
    const members = membersOf(value);
    const text = isObject(value)
      ? `{${members.map(([name, one]) => member(name, one)).join()}}`
      : Array.isArray(value)
        ? `[${members.map(([, one]) => write(one)).join()}]`
        : JSON.stringify(value);
    if (!isChosen) return text;
    if (kind === 0) return dice.pick(['', `[${text}]`, `{"a":${text}}`, JSON.stringify(text)]);
    if (kind === 1) return `${text},${text}`;
    return kind === 2 && typeof value === 'string' ? JSON.stringify(mutateText(value, dice)) : anyValue(dice);
  }
  function member(name: string, value: Json): string {
    const isChosen = left === 0;
    const one = `${JSON.stringify(name)}:${write(value)}`;
    if (!isChosen) return one;
    if (kind === 3) return `${one},${one}`;
    if (kind === 4) return `${JSON.stringify(dice.pick(NAMES))}:${JSON.stringify(value)}`;
    return kind === 5 ? `${one},${JSON.stringify(dice.pick(NAMES))}:${anyValue(dice)}` : one;
  }
  const text = write(whole);
  return dice.chance(8) ? mutateText(text, dice) : text;
}

/** Returns the text with a part removed, inserted or repeated. */
export function mutateText(text: string, dice: Dice): string {
  const from = dice.below(text.length + 1);
  const to = from + dice.below(text.length - from + 1);
  switch (dice.below(5)) {
    case 0:
      return text.slice(0, from) + text.slice(to);
    case 1:
      return text.slice(0, from) + dice.pick(TEXTS) + text.slice(from);
    case 2:
      return text.slice(0, from) + dice.pick(TEXTS) + text.slice(to);
    case 3:
      return (
        text.slice(0, from) + text.slice(from, from + 40).repeat(dice.pick([2, 50, 1_000])) + text.slice(to)
      );
    default:
      return dice.pick(TEXTS);
  }
}

/** Returns the fields with one removed, duplicated, renamed or changed. */
export function mutateFields(fields: Fields, dice: Dice): Fields {
  const place = dice.below(Math.max(1, fields.length));
  const [name = 'x', value = ''] = fields[place] ?? [];
  const others = fields.filter((_field, index) => index !== place);
  switch (dice.below(6)) {
    case 0:
      return others;
    case 1:
      return [...fields, [name, mutateText(value, dice)]];
    case 2:
      return [...others, [`${name}[${dice.pick(NAMES)}]`, value]];
    case 3:
      return [...others, [dice.pick(NAMES), value]];
    default:
      return [...others, [name, mutateText(value, dice)]];
  }
}

/** Inserts invalid UTF-8, a NUL or a byte order mark. */
export function mutateBytes(bytes: Buffer, dice: Dice): Buffer {
  const place = dice.below(bytes.length + 1);
  const wrong = Buffer.from(
    dice.pick([[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf8], [0], [0xef, 0xbb, 0xbf]]),
  );
  return Buffer.concat([bytes.subarray(0, place), wrong, bytes.subarray(place)]);
}
