// Completion at the cursor: keys and fixed words from the schema, names from names-at.ts.
import { getLocation, type Node } from 'jsonc-parser';
import type { Catalogue, CatalogueSite } from '../../shared-types/catalogue';
import {
  columnKeysAt,
  functionColumns,
  isAt,
  type Name,
  type Place,
  suitsColumn,
  valuesAt,
} from './names-at';
import { membersOf, nodeAt, readQueryText, type Step, withoutWrapper } from './query-text';

export interface Candidate {
  /** Compared with the typed characters. */
  readonly label: string;
  readonly about: string;
  readonly apply: string;
  /** Cursor position in `apply`; its end by default. */
  readonly caret?: number;
}

export interface Completion {
  readonly from: number;
  readonly to: number;
  readonly candidates: readonly Candidate[];
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema | boolean>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | boolean;
  readonly prefixItems?: readonly (Schema | boolean)[];
  readonly anyOf?: readonly (Schema | boolean)[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** The text at the cursor, in quotes or as a bare word. */
interface Token {
  readonly from: number;
  readonly to: number;
  readonly quoted: boolean;
  readonly closed: boolean;
}

/** Null if there is nothing to offer. */
export function completeQuery(
  text: string,
  offset: number,
  knowledge: { readonly catalogue: Catalogue; readonly sites: readonly CatalogueSite[] },
): Completion | null {
  const { query, tooDeep } = readQueryText(text);
  if (tooDeep !== undefined) return null;
  const location = getLocation(text, offset);
  const token = tokenAt(text, offset, location.previousNode);
  if (token === undefined) return null;
  const path = withoutWrapper(location.path);
  const place: Place = { ...knowledge, query, path };
  const found = location.isAtPropertyKey
    ? completeKey(text, token, { ...place, path: path.slice(0, -1) })
    : isAt(path, 'make.*.calc.*') || isAt(path, 'make.*.calc.*.of')
      ? completeCalc(text, offset, token, place)
      : { ...token, candidates: completeValue(token, place) };
  const { from, to, candidates } = found;
  return candidates.length === 0 ? null : { from, to, candidates };
}

const BARE = /[\w.-]/;

function tokenAt(text: string, offset: number, node: Node | undefined): Token | undefined {
  if (node?.type === 'string' || node?.type === 'property') {
    const end = node.offset + node.length;
    const closed = node.length > 1 && text[end - 1] === '"';
    if (offset <= node.offset || (closed && offset >= end)) return undefined;
    // A string without a closing quote extends to the end of the line.
    return { from: node.offset + 1, to: closed ? end - 1 : offset, quoted: true, closed };
  }
  let from = offset;
  while (from > 0 && BARE.test(text[from - 1] ?? '')) from--;
  let to = offset;
  while (BARE.test(text[to] ?? '')) to++;
  // Only a comma or a bracket can follow a value.
  const isAfterValue = /["}\]]/.test(text.slice(0, from).trimEnd().at(-1) ?? '');
  return isAfterValue ? undefined : { from, to, quoted: false, closed: false };
}

const escaped = (name: string): string => JSON.stringify(name).slice(1, -1);

/** Adds the missing quotes. */
const withQuotes = ({ quoted, closed }: Token, content: string): string =>
  `${quoted ? '' : '"'}${content}${closed ? '' : '"'}`;

const schemasAt = ({ catalogue: { schema }, path }: Place): readonly Schema[] =>
  path.reduce<readonly Schema[]>(
    (schemas, step) => schemas.flatMap((one) => stepInto(one, step, schema)),
    alternativesOf(schema, schema),
  );

const isSchema = (schema: Schema | boolean | undefined): schema is Schema => typeof schema === 'object';

const alternativesOf = (schema: Schema, { $defs = {} }: Schema): readonly Schema[] => {
  const definition = $defs[schema.$ref?.replace('#/$defs/', '') ?? ''];
  const others = [
    ...(definition === undefined ? [] : [definition]),
    ...(schema.anyOf ?? []).filter(isSchema),
  ];
  return [schema, ...others.flatMap((one) => alternativesOf(one, { $defs }))];
};

function stepInto(schema: Schema, step: Step, root: Schema): readonly Schema[] {
  const next =
    typeof step === 'number'
      ? (schema.prefixItems?.[step] ?? schema.items)
      : (schema.properties?.[step] ?? schema.additionalProperties);
  return isSchema(next) ? alternativesOf(next, root) : [];
}

const OPENINGS: Readonly<Record<string, string>> = { object: '{}', array: '[]', string: '""' };

function completeKey(text: string, token: Token, place: Place): Completion {
  const members = membersOf(nodeAt(place.query, place.path));
  const written = members.filter(
    ({ key }) => token.from < key.offset || token.from > key.offset + key.length,
  );
  const hasColon = /^\s*:/.test(text.slice(token.to + (token.closed ? 1 : 0)));
  const fixed = new Map<string, Name & { readonly opening: string }>();
  for (const { properties = {} } of schemasAt(place))
    for (const [name, schema] of Object.entries(properties)) {
      if (!isSchema(schema) || (fixed.has(name) && schema.description === undefined)) continue;
      const { type, enum: words, description: about = '' } = schema;
      const opening = words === undefined && typeof type === 'string' ? (OPENINGS[type] ?? '') : '';
      fixed.set(name, { name, about, opening });
    }
  const columns = columnKeysAt(place).map((column) => ({ ...column, opening: '' }));
  const candidates = [...fixed.values(), ...columns]
    .filter(({ name }) => written.every((member) => member.name !== name) && suitsColumn(name, place))
    .map(({ name, about, opening }): Candidate => {
      if (hasColon) return { label: name, about, apply: withQuotes(token, escaped(name)) };
      const apply = `${token.quoted ? '' : '"'}${escaped(name)}": ${opening}`;
      return { label: name, about, apply, caret: apply.length - opening.length / 2 };
    });
  // A closing quote is replaced with the key, because the colon follows it.
  return { from: token.from, to: token.closed && !hasColon ? token.to + 1 : token.to, candidates };
}

function completeValue(token: Token, place: Place): readonly Candidate[] {
  const schemas = schemasAt(place);
  const names = new Map(valuesAt(place).map(({ name, about }) => [name, about]));
  for (const word of schemas.flatMap((schema) => schema.enum ?? []))
    if (typeof word === 'string' && !names.has(word)) names.set(word, '');
  const texts = [...names].map(
    ([label, about]): Candidate => ({ label, about, apply: withQuotes(token, escaped(label)) }),
  );
  if (token.quoted) return texts;
  const types = new Set(schemas.flatMap(({ type }) => type ?? []));
  const booleans = types.has('boolean') && !types.has('string') ? ['true', 'false'] : [];
  const openings = texts.length > 0 ? [] : ['object', 'array'].filter((type) => types.has(type));
  return [
    ...texts,
    ...booleans.map((apply) => ({ label: apply, about: '', apply })),
    ...openings.map((type) => {
      const apply = OPENINGS[type] ?? '';
      return { label: apply, about: type === 'array' ? 'A list' : 'An object', apply, caret: 1 };
    }),
  ];
}

/** Inserted after a function's column. */
const EXTRA_ARGUMENTS: Readonly<Record<string, string>> = { PERCENTILE: ', 95' };

/** Completes `FUNCTION(material.column)`: a function, then a column for it, and the next function after an operator. */
function completeCalc(text: string, offset: number, token: Token, place: Place): Completion {
  const before = token.quoted ? text.slice(token.from, offset) : '';
  const [, word, column] = /(\w+)\s*\(\s*([^()\s,]*)$/.exec(before) ?? [];
  if (word === undefined || column === undefined) {
    const [, earlier = '', name] = /^(.*[-+*/(]\s*|\s*)(\w*)$/.exec(before) ?? [];
    if (name === undefined) return { ...token, candidates: [] };
    const isFirst = earlier.trim() === '';
    const from = isFirst ? token.from : token.from + earlier.length;
    const rest = /^\w*/.exec(text.slice(offset, token.to))?.[0].length ?? 0;
    const candidates = place.catalogue.functions.map(({ name: label, about }): Candidate => {
      const apply = isFirst ? withQuotes(token, `${label}()`) : `${label}()`;
      return { label, about, apply, caret: apply.indexOf('(') + 1 };
    });
    return { from, to: isFirst ? token.to : offset + rest, candidates };
  }
  const from = offset - column.length;
  const end = /[,)]/.exec(text.slice(from, token.to));
  const to = end === null ? token.to : from + end.index;
  const extra = end?.[0] === ',' ? '' : (EXTRA_ARGUMENTS[word.toUpperCase()] ?? '');
  const ending = extra + (end !== null ? '' : token.closed ? ')' : ')"');
  const candidates = functionColumns(place, word).map(({ name, about }) => ({
    label: name,
    about,
    apply: name + ending,
  }));
  return { from, to, candidates };
}
