// Parses query text while it is being typed. Paths and positions are relative to the query, with or without its wrapper,
// {"qal": ...}.
import { createScanner, type Node, type ParseError, parseTree, SyntaxKind } from 'jsonc-parser';

interface QueryText {
  readonly root: Node | undefined;
  /** Undefined if there is no value yet. */
  readonly query: Node | undefined;
  readonly wrapped: boolean;
  readonly errors: readonly ParseError[];
  /** Offset of the first bracket beyond the depth limit. Text with such a bracket is not parsed. */
  readonly tooDeep: number | undefined;
}

/** End exclusive. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

export type Step = string | number;

/** The server's limit. Deeper nesting could overflow the parser's stack. */
const MAX_LEVELS = 32;
const WRAPPER = 'qal';
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

function firstTooDeep(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let levels = 0;
  for (let kind = scanner.scan(); kind !== SyntaxKind.EOF; kind = scanner.scan()) {
    if (kind === SyntaxKind.OpenBraceToken || kind === SyntaxKind.OpenBracketToken) levels += 1;
    if (kind === SyntaxKind.CloseBraceToken || kind === SyntaxKind.CloseBracketToken) levels -= 1;
    if (levels > MAX_LEVELS) return scanner.getTokenOffset();
  }
  return undefined;
}

export function readQueryText(text: string): QueryText {
  const tooDeep = firstTooDeep(text);
  const errors: ParseError[] = [];
  const root = tooDeep === undefined ? parseTree(text, errors, STRICT) : undefined;
  const inner = memberOf(root, WRAPPER);
  return { root, query: inner ?? root, wrapped: inner !== undefined, errors, tooDeep };
}

/** Converts a path in the text to a path in the query. */
export const withoutWrapper = (path: readonly Step[]): readonly Step[] =>
  path[0] === WRAPPER ? path.slice(1) : path;

interface Member {
  readonly name: string;
  readonly key: Node;
  readonly value: Node | undefined;
}

export function membersOf(node: Node | undefined): readonly Member[] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key === undefined ? [] : [{ name: String(key.value), key, value }],
  );
}

export const itemsOf = (node: Node | undefined): readonly Node[] =>
  node?.type === 'array' ? (node.children ?? []) : [];

export function memberOf(node: Node | undefined, step: Step): Node | undefined {
  if (typeof step === 'number') return itemsOf(node)[step];
  return membersOf(node).find(({ name }) => name === step)?.value;
}

export const nodeAt = (query: Node | undefined, path: readonly Step[]): Node | undefined =>
  path.reduce(memberOf, query);

export const stringOf = (node: Node | undefined): string | undefined =>
  node?.type === 'string' ? String(node.value) : undefined;

export const stringsOf = (node: Node | undefined): readonly string[] =>
  itemsOf(node).flatMap((item) => stringOf(item) ?? []);

/** Undefined if the text has no site. */
export const siteIn = (text: string): string | undefined =>
  stringOf(memberOf(readQueryText(text).query, 'tracking_id'));

/** Replaces the site. Text without a site is unchanged. */
export function withSite(text: string, trackingId: string): string {
  const node = memberOf(readQueryText(text).query, 'tracking_id');
  if (node === undefined) return text;
  return `${text.slice(0, node.offset)}${JSON.stringify(trackingId)}${text.slice(node.offset + node.length)}`;
}

/** Longer marks would hide the text. */
const MAX_MARK_LENGTH = 200;

function markOf({ type, offset, length }: Node, key?: Node): TextRange {
  const isLarge = length > MAX_MARK_LENGTH || type === 'object' || type === 'array';
  if (!isLarge) return { from: key?.offset ?? offset, to: offset + length };
  return key === undefined
    ? { from: offset, to: offset + 1 }
    : { from: key.offset, to: key.offset + key.length };
}

/** The range of a path, written as in errors (`make.top.join.on[0].left`), or of its deepest part that exists. */
export function rangeAt({ query, root }: QueryText, at: string): TextRange | undefined {
  // Keys next to the wrapped query are looked up in the whole text.
  return rangeBelow(query, at) ?? rangeBelow(root, at);
}

function rangeBelow(node: Node | undefined, at: string): TextRange | undefined {
  const [index, number] = /^\.?\[(\d+)\]/.exec(at) ?? [];
  if (index !== undefined) {
    const item = itemsOf(node)[Number(number)];
    return item && (rangeBelow(item, at.slice(index.length)) ?? markOf(item));
  }
  // Keys may contain dots, so the longest matching key is the next step.
  const rest = at.replace(/^\./, '');
  const [member] = membersOf(node)
    .filter(({ name }) => rest.startsWith(name) && /^($|[.[])/.test(rest.slice(name.length)))
    .sort((one, other) => other.name.length - one.name.length);
  if (member === undefined) return undefined;
  const { name, key, value = key } = member;
  return rangeBelow(value, rest.slice(name.length)) ?? markOf(value, key);
}
