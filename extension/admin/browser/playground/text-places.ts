// From a place as errors write it (`make.top.join.on[0].left`) to the characters of the text.
// Keys may hold dots and spaces, so the text's own keys decide where a step ends.
import type { Node } from 'jsonc-parser';
import { itemsOf, membersOf, type Step } from './query-text';

/** Offsets of the first character and of the one after the last. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** Longer ranges would hide the text that they mark. */
const LONGEST_MARK = 200;

const rangeOf = ({ offset, length }: Node): TextRange => ({ from: offset, to: offset + length });

const isLarge = ({ type, length }: Node): boolean =>
  length > LONGEST_MARK || type === 'object' || type === 'array';

/** The key alone where the value is large, else both. */
function rangeOfMember(key: Node, value: Node | undefined): TextRange {
  return value === undefined || isLarge(value)
    ? rangeOf(key)
    : { from: key.offset, to: value.offset + value.length };
}

const rangeOfItem = (item: Node): TextRange =>
  isLarge(item) ? { from: item.offset, to: item.offset + 1 } : rangeOf(item);

/** The first step of `at` below a node: its range, the node that it leads to, and what is left of `at`. */
function nextStep(
  node: Node,
  at: string,
): { range: TextRange; node: Node | undefined; rest: string } | undefined {
  const [index, number] = /^\.?\[(\d+)\]/.exec(at) ?? [];
  if (index !== undefined) {
    const item = itemsOf(node)[Number(number)];
    return item && { range: rangeOfItem(item), node: item, rest: at.slice(index.length) };
  }
  const wanted = at.replace(/^\./, '');
  const fitting = membersOf(node)
    .filter(({ name }) => wanted.startsWith(name) && /^($|[.[])/.test(wanted.slice(name.length)))
    .sort((one, other) => other.name.length - one.name.length)[0];
  return (
    fitting && {
      range: rangeOfMember(fitting.key, fitting.value),
      node: fitting.value,
      rest: wanted.slice(fitting.name.length),
    }
  );
}

/** The range of the deepest part of `at` that the text has; null where it has nothing of it. */
export function rangeAt(query: Node | undefined, at: string): TextRange | null {
  let node = query;
  let rest = at;
  let range: TextRange | null = null;
  while (node !== undefined && rest !== '') {
    const found = nextStep(node, rest);
    if (found === undefined) break;
    ({ range, node, rest } = found);
  }
  return range;
}

/** The range of a path of steps; the deepest part that is there, the opening of the query when none is. */
export function rangeOfPath(query: Node | undefined, path: readonly Step[]): TextRange {
  let node = query;
  let range: TextRange = { from: query?.offset ?? 0, to: (query?.offset ?? 0) + 1 };
  for (const step of path) {
    if (typeof step === 'number') {
      const item: Node | undefined = itemsOf(node)[step];
      if (item === undefined) break;
      range = rangeOfItem(item);
      node = item;
    } else {
      const member = membersOf(node).find(({ name }) => name === step);
      if (member === undefined) break;
      range = rangeOfMember(member.key, member.value);
      node = member.value;
    }
  }
  return range;
}
