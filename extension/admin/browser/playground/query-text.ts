// Reads the text of the editor as far as it can be read, while it is being written.
// text -> tree with offsets; places count from the query itself, whether it is wrapped in {"qal": ...} or not.
// Every reader of a tree calls itself for each level: a text that the server would refuse as too deep has no tree.
import { createScanner, type Node, type ParseError, parseTree, SyntaxKind } from 'jsonc-parser';

export interface QueryText {
  readonly text: string;
  /** The whole value, with its wrapper. */
  readonly root: Node | undefined;
  /** The query; undefined while there is no value at all. */
  readonly query: Node | undefined;
  readonly wrapped: boolean;
  readonly errors: readonly ParseError[];
  /** Offset of the first bracket that opens one level too many; undefined when there is none. */
  readonly tooDeep: number | undefined;
}

/** Levels of objects and lists that the server reads. */
export const MOST_LEVELS = 32;
export const WRAPPER = 'qal';
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

function firstTooDeep(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let levels = 0;
  for (let kind = scanner.scan(); kind !== SyntaxKind.EOF; kind = scanner.scan()) {
    if (kind === SyntaxKind.OpenBraceToken || kind === SyntaxKind.OpenBracketToken) levels += 1;
    if (kind === SyntaxKind.CloseBraceToken || kind === SyntaxKind.CloseBracketToken) levels -= 1;
    if (levels > MOST_LEVELS) return scanner.getTokenOffset();
  }
  return undefined;
}

export function readQueryText(text: string): QueryText {
  const tooDeep = firstTooDeep(text);
  if (tooDeep !== undefined)
    return { text, root: undefined, query: undefined, wrapped: false, errors: [], tooDeep };
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, STRICT);
  const wrapped = memberOf(root, WRAPPER);
  return { text, root, query: wrapped ?? root, wrapped: wrapped !== undefined, errors, tooDeep };
}

export type Step = string | number;

/** A path into the text as a path into the query. */
export const withoutWrapper = (path: readonly Step[]): readonly Step[] =>
  path[0] === WRAPPER ? path.slice(1) : path;

/** A member of an object: its key and, once it is written, its value. */
export interface Member {
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

/** The text that a node holds; undefined for everything that is no text. */
export const stringOf = (node: Node | undefined): string | undefined =>
  node?.type === 'string' ? String(node.value) : undefined;

export const stringsOf = (node: Node | undefined): readonly string[] =>
  itemsOf(node).flatMap((item) => stringOf(item) ?? []);
