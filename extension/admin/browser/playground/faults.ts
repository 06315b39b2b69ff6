// What is wrong with the text, each fault at its place: syntax first, then the schema, then what the server said.
// Of several faults that the schema tells of one value only the one that helps is kept.
import type { OutputUnit, Validator } from '@cfworker/json-schema';
import { type ParseError, printParseErrorCode } from 'jsonc-parser';
import type { Refusal } from '../data/refusal';
import {
  MOST_LEVELS,
  membersOf,
  nodeAt,
  type QueryText,
  readQueryText,
  type Step,
  WRAPPER,
} from './query-text';
import { descriptionAt, keysAt, type Schema } from './schema-places';
import { rangeAt, rangeOfPath, type TextRange } from './text-places';

export interface Fault extends TextRange {
  readonly message: string;
}

/** An error of the server, as the head contract spells it. */
export interface ServerError {
  readonly code: string;
  readonly message: string;
  readonly at?: string;
  readonly hint?: string;
  readonly details?: { readonly repaired?: unknown };
  /** Where a person can do something about it. */
  readonly link?: Refusal['link'];
}

/** What the served schema is checked with. */
export interface Checker {
  readonly schema: Schema;
  readonly validator: Pick<Validator, 'validate'>;
}

/** The faults of a text that can be seen without asking the server. */
export function faultsOf(text: string, checker: Checker | undefined): readonly Fault[] {
  const document = readQueryText(text);
  if (document.tooDeep !== undefined) return [depthFault(document.tooDeep)];
  const syntax = [
    ...document.errors.map((error) => syntaxFault(error, text)),
    ...repeatedKeys(document),
    ...keysBesideWrapper(document),
  ];
  if (syntax.length > 0 || document.query === undefined || checker === undefined) return syntax;
  return schemaFaults(document, checker);
}

const WORDS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'This is no value: texts stand in double quotes.',
  InvalidNumberFormat: 'This is no number.',
  PropertyNameExpected: 'A key in double quotes is missing here.',
  ValueExpected: 'A value is missing here.',
  ColonExpected: 'A colon is missing here.',
  CommaExpected: 'A comma is missing here.',
  CloseBraceExpected: 'A closing } is missing here.',
  CloseBracketExpected: 'A closing ] is missing here.',
  EndOfFileExpected: 'The query ends before this.',
  InvalidCommentToken: 'JSON has no comments.',
  UnexpectedEndOfComment: 'JSON has no comments.',
  UnexpectedEndOfString: 'The closing quote is missing.',
  UnexpectedEndOfNumber: 'The number is not complete.',
  InvalidUnicode: 'This \\u sequence is not complete.',
  InvalidEscapeCharacter: 'No letter can be escaped like this.',
  InvalidCharacter: 'This character must be escaped.',
};

function syntaxFault({ error, offset, length }: ParseError, text: string): Fault {
  const word = printParseErrorCode(error);
  const message = text.trim() === '' ? 'There is no query.' : (WORDS[word] ?? `This is not JSON (${word}).`);
  const from = Math.min(offset, text.length);
  return { from, to: Math.min(from + Math.max(length, 1), text.length), message };
}

const depthFault = (offset: number): Fault => ({
  from: offset,
  to: offset + 1,
  message: `The query is nested too deeply: at most ${MOST_LEVELS} levels are read.`,
});

function keysBesideWrapper({ root, wrapped }: QueryText): readonly Fault[] {
  return !wrapped
    ? []
    : membersOf(root)
        .filter(({ name }) => name !== WRAPPER)
        .map(({ name, key }) => ({
          from: key.offset,
          to: key.offset + key.length,
          message: `There is no key ${JSON.stringify(name)} beside "${WRAPPER}".`,
        }));
}

function repeatedKeys({ root }: QueryText): readonly Fault[] {
  const faults: Fault[] = [];
  const walk = (node: QueryText['query']): void => {
    const seen = new Set<string>();
    for (const { name, key } of membersOf(node)) {
      const range = { from: key.offset, to: key.offset + key.length };
      if (seen.has(name))
        faults.push({ ...range, message: `The key ${JSON.stringify(name)} is here twice.` });
      seen.add(name);
    }
    for (const child of node?.children ?? []) walk(child);
  };
  walk(root);
  return faults;
}

interface Leaf {
  readonly keyword: string;
  readonly path: readonly Step[];
  readonly error: string;
  /** Whether it speaks of one of several alternatives. */
  readonly isOneOfMany: boolean;
}

/** Keywords that only say that something below them is wrong. */
const WRAPPERS = new Set([
  'properties',
  'additionalProperties',
  'items',
  'prefixItems',
  'propertyNames',
  'anyOf',
  'if',
]);

function schemaFaults(document: QueryText, { schema, validator }: Checker): readonly Fault[] {
  const { query, text } = document;
  if (query === undefined) return [];
  const value: unknown = JSON.parse(text.slice(query.offset, query.offset + query.length));
  const leaves = errorsOf(validator, value)
    .filter(({ keyword }) => !WRAPPERS.has(keyword))
    .map(({ keyword, instanceLocation, keywordLocation, error }): Leaf => {
      const path = pathOf(instanceLocation, document);
      return { keyword, path, error, isOneOfMany: keywordLocation.includes('/anyOf/') };
    });
  const told = new Map<string, Fault>();
  for (const leaf of leaves.filter((it) => isWorthTelling(it, leaves))) {
    const fault = { ...rangeOfPath(query, leaf.path), message: sentenceOf(leaf, leaves, schema) };
    const place = `${fault.from} ${fault.message}`;
    if (!told.has(place)) told.set(place, fault);
  }
  return [...told.values()];
}

/** Keys that are half of a pair (`"\ud800"`) have no address, and then no fault can be told: the server will. */
function errorsOf(validator: Checker['validator'], value: unknown): readonly OutputUnit[] {
  try {
    return validator.validate(value).errors;
  } catch (error) {
    if (error instanceof URIError) return [];
    throw error;
  }
}

/** `#/make/a%20b/keep/0` as steps: indexes are numbers where the text has a list. */
function pathOf(pointer: string, { query }: QueryText): readonly Step[] {
  const path: Step[] = [];
  for (const part of pointer.split('/').slice(1)) {
    const key = decodeURI(part).replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(nodeAt(query, path)?.type === 'array' ? Number(key) : key);
  }
  return path;
}

const isBelow = (path: readonly Step[], other: readonly Step[]): boolean =>
  path.length > other.length && other.every((step, i) => step === path[i]);

const isSame = (path: readonly Step[], other: readonly Step[]): boolean =>
  path.length === other.length && other.every((step, i) => step === path[i]);

/** Of alternatives the one counts that got furthest: deeper than the others, or past the question of the type. */
function isWorthTelling(leaf: Leaf, leaves: readonly Leaf[]): boolean {
  if (!leaf.isOneOfMany) return true;
  if (leaves.some((other) => isBelow(other.path, leaf.path))) return false;
  const past = leaves.some((other) => other.keyword !== 'type' && isSame(other.path, leaf.path));
  return leaf.keyword !== 'type' || !past;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text in quotes',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list in [ ]',
  object: 'an object in { }',
};

const orList = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

function sentenceOf(leaf: Leaf, leaves: readonly Leaf[], schema: Schema): string {
  const about = descriptionAt(schema, leaf.path);
  const explained = (sentence: string) => (about === undefined ? sentence : `${sentence} ${about}`);
  const key = leaf.path.at(-1);
  switch (leaf.keyword) {
    case 'type': {
      const here = leaves.filter((it) => it.keyword === 'type' && isSame(it.path, leaf.path));
      const types = here.flatMap((it) => [...(it.error.split('Expected')[1] ?? '').matchAll(/"(\w+)"/g)]);
      const words = new Set(types.map(([, type = '']) => TYPES[type] ?? type));
      return explained(`This must be ${orList([...words])}.`);
    }
    case 'false': {
      if (typeof key === 'number') return explained('This entry is one too many.');
      const keys = [...keysAt(schema, leaf.path.slice(0, -1)).keys()];
      return `There is no key ${JSON.stringify(key)} here; the keys are ${keys.join(', ')}.`;
    }
    case 'required': {
      const missing = /"(.*)"/.exec(leaf.error)?.[1] ?? '';
      const meaning = descriptionAt(schema, [...leaf.path, missing]);
      return `The key ${JSON.stringify(missing)} is missing.${meaning === undefined ? '' : ` ${meaning}`}`;
    }
    case 'enum':
      return explained('This is none of the known words.');
    case 'pattern':
      return explained('This does not have the right form.');
    case 'minItems':
    case 'minProperties':
      return explained('There are too few entries here.');
    case 'maxItems':
    case 'maxProperties':
      return explained('There are too many entries here.');
    case 'minimum':
    case 'maximum':
      return explained(`${leaf.error}`);
    default:
      return explained(`This is not as it must be (${leaf.keyword}).`);
  }
}

/** The place of an error of the server; null when it is of no place in this text. */
export function serverFault(text: string, { at, message, hint }: ServerError): Fault | null {
  if (at === undefined) return null;
  const { root, query } = readQueryText(text);
  // What lies beside the query is told by its place in the whole text.
  const range = rangeAt(query, at) ?? rangeAt(root, at);
  return range === null ? null : { ...range, message: hint === undefined ? message : `${message} ${hint}` };
}
