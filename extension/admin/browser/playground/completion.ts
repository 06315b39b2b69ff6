// What can be written where the cursor stands: text + offset + schema + catalogue -> candidates, and what they replace.
// Works on half-written text; never asks the server.
import { getLocation, type Node } from 'jsonc-parser';
import type { Catalogue, CatalogueSite } from './catalogue';
import {
  calcColumns,
  isCalcPlace,
  type Name,
  namedKeysAt,
  operatorFits,
  type Surroundings,
  valuesAt,
} from './names-at';
import { membersOf, nodeAt, readQueryText, type Step, withoutWrapper } from './query-text';
import { keysAt, type Schema, schemasAt } from './schema-places';

export interface Knowledge {
  readonly schema: Schema;
  readonly catalogue: Catalogue;
  readonly sites: readonly CatalogueSite[];
}

export interface Candidate {
  /** What it is called, and what typed letters are compared with. */
  readonly label: string;
  readonly detail: string;
  /** What is written instead of the text between `from` and `to`. */
  readonly apply: string;
  /** Where the cursor stands then, counted from the start of `apply`; at its end when absent. */
  readonly caret?: number;
}

export interface Completion {
  readonly from: number;
  readonly to: number;
  readonly candidates: readonly Candidate[];
}

/** What the cursor stands in: a text between quotes, or a bare word that becomes one. */
interface Token {
  readonly from: number;
  readonly to: number;
  readonly quoted: boolean;
  /** Whether the closing quote is there. */
  readonly closed: boolean;
}

/** The candidates at an offset; null where there is nothing to say. */
export function complete(text: string, offset: number, { schema, ...names }: Knowledge): Completion | null {
  const { query, tooDeep } = readQueryText(text);
  if (tooDeep !== undefined) return null;
  const location = getLocation(text, offset);
  const token = tokenAt(text, offset, location.previousNode);
  if (token === undefined) return null;
  const surroundings = { ...names, query };
  const path = withoutWrapper(location.path);
  const found = location.isAtPropertyKey
    ? keyCandidates(path.slice(0, -1), text, token, surroundings, schema)
    : isCalcPlace(path)
      ? calcCandidates(path, text, offset, token, surroundings)
      : { ...token, candidates: valueCandidates(path, token, surroundings, schema) };
  return found.candidates.length === 0
    ? null
    : { from: found.from, to: found.to, candidates: found.candidates };
}

const BARE = /[\w.-]/;

function tokenAt(text: string, offset: number, node: Node | undefined): Token | undefined {
  if (node?.type === 'string' || node?.type === 'property') {
    const end = node.offset + node.length;
    const closed = node.length > 1 && text[end - 1] === '"';
    if (offset <= node.offset || (closed && offset >= end)) return undefined;
    // A text without its closing quote reaches to the end of the line; what follows the cursor is not part of it.
    return { from: node.offset + 1, to: closed ? end - 1 : offset, quoted: true, closed };
  }
  let from = offset;
  while (from > 0 && BARE.test(text[from - 1] ?? '')) from--;
  let to = offset;
  while (BARE.test(text[to] ?? '')) to++;
  // After a value nothing can follow but a comma or a bracket.
  return /["}\]]/.test(text.slice(0, from).trimEnd().at(-1) ?? '')
    ? undefined
    : { from, to, quoted: false, closed: false };
}

const inner = (name: string): string => JSON.stringify(name).slice(1, -1);

/** A name as a JSON text at the token: quotes are written where they are missing. */
const asText = ({ quoted, closed }: Token, content: string): string =>
  `${quoted ? '' : '"'}${content}${closed ? '' : '"'}`;

const textCandidate = (token: Token, { name, detail }: Name): Candidate => ({
  label: name,
  detail,
  apply: asText(token, inner(name)),
});

const OPENINGS: Readonly<Record<string, string>> = { object: '{}', array: '[]', string: '""' };

/** What a value of that schema begins with, both ends of it. */
function openingOf({ type, enum: words }: Schema): string {
  return words === undefined && typeof type === 'string' ? (OPENINGS[type] ?? '') : '';
}

function keyCandidates(
  path: readonly Step[],
  text: string,
  token: Token,
  surroundings: Surroundings,
  schema: Schema,
): Completion {
  const members = membersOf(nodeAt(surroundings.query, path));
  const here = members.find(({ key }) => key.offset <= token.from && token.from <= key.offset + key.length);
  const written = new Set(members.filter((it) => it !== here).map(({ name }) => name));
  const isNamed = /^\s*:/.test(text.slice(token.to + (token.closed ? 1 : 0)));
  const fixed = [...keysAt(schema, path)].map(([name, it]) => ({
    name,
    detail: it.description ?? '',
    opening: openingOf(it),
  }));
  const named = namedKeysAt(path, surroundings).map((it) => ({ ...it, opening: '' }));
  const candidates = [...fixed, ...named]
    .filter(({ name }) => !written.has(name) && operatorFits(name, path, surroundings))
    .map(({ name, detail, opening }): Candidate => {
      const content = inner(name);
      if (isNamed) return { label: name, detail, apply: asText(token, content) };
      const apply = `${token.quoted ? '' : '"'}${content}": ${opening}`;
      return { label: name, detail, apply, caret: apply.length - opening.length / 2 };
    });
  // The closing quote is written with the colon after it.
  return { from: token.from, to: token.closed && !isNamed ? token.to + 1 : token.to, candidates };
}

function valueCandidates(
  path: readonly Step[],
  token: Token,
  surroundings: Surroundings,
  schema: Schema,
): readonly Candidate[] {
  const schemas = schemasAt(schema, path);
  const names = valuesAt(path, surroundings);
  const words = schemas
    .flatMap((it) => it.enum ?? [])
    .filter((word) => typeof word === 'string')
    .filter((word) => !names.some(({ name }) => name === word))
    .map((name) => ({ name, detail: '' }));
  const texts = [...names, ...words].map((name) => textCandidate(token, name));
  return token.quoted ? texts : [...texts, ...bareCandidates(schemas, texts.length > 0)];
}

/** Values that stand without quotes. */
function bareCandidates(schemas: readonly Schema[], hasNames: boolean): readonly Candidate[] {
  const types = new Set(schemas.flatMap(({ type }) => type ?? []));
  const booleans = types.has('boolean') && !types.has('string') ? ['true', 'false'] : [];
  const openings = hasNames ? [] : ['object', 'array'].filter((type) => types.has(type));
  return [
    ...booleans.map((word) => ({ label: word, detail: '', apply: word })),
    ...openings.map((type) => {
      const apply = OPENINGS[type] ?? '';
      return { label: apply, detail: type === 'array' ? 'A list' : 'An object', apply, caret: 1 };
    }),
  ];
}

/** FUNCTION(material.column): first the function, then a column that it takes. */
function calcCandidates(
  path: readonly Step[],
  text: string,
  offset: number,
  token: Token,
  surroundings: Surroundings,
): Completion {
  const before = text.slice(token.from, offset);
  // Behind the closing bracket nothing can follow.
  if (token.quoted && before.includes(')')) return { ...token, candidates: [] };
  const [, word, space = ''] = /^\s*(\w+)\s*\((\s*)/.exec(before) ?? [];
  if (word === undefined || !token.quoted) {
    const candidates = surroundings.catalogue.functions.map(({ name, about }): Candidate => {
      const apply = asText(token, `${name}()`);
      return { label: name, detail: about, apply, caret: apply.indexOf('(') + 1 };
    });
    return { ...token, candidates };
  }
  const from = text.indexOf('(', token.from) + 1 + space.length;
  const rest = text.slice(from, token.to);
  const end = rest.includes(')') ? rest.indexOf(')') : rest.length;
  const ending = rest.includes(')') ? '' : token.closed ? ')' : ')"';
  const candidates = calcColumns(word, path, surroundings).map(({ name, detail }) => ({
    label: name,
    detail,
    apply: name + ending,
  }));
  return { from, to: from + end, candidates };
}
