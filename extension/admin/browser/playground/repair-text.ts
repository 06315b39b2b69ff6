// Writes a corrected query into the text: only the values that differ change, the rest keeps its layout and spelling.
import { applyEdits, type Edit, modify, type Node } from 'jsonc-parser';
import { isObject } from '../shared/rest-answer';
import { formatQuery } from './format-query';
import { itemsOf, memberOf, membersOf, readQueryText, type Step, type TextRange, wrap } from './query-text';

export interface Repair {
  readonly text: string;
  /** What is new in it. */
  readonly changed: TextRange;
}

/** No repair has more. */
const MOST_EDITS = 200;

/** Text that is not JSON is replaced as a whole. */
export function repairText(text: string, repaired: unknown): Repair {
  const wanted = readQueryText(text).wrapped ? wrap(repaired) : repaired;
  const edited = applyDifferences(text, wanted) ?? formatQuery(JSON.stringify(wanted));
  return { text: edited, changed: changedRange(text, edited) };
}

function applyDifferences(text: string, wanted: unknown): string | undefined {
  let edited = text;
  for (let count = 0; count < MOST_EDITS; count++) {
    const { root, errors } = readQueryText(edited);
    if (root === undefined || errors.length > 0) return undefined;
    const edits = firstDifference(edited, root, wanted, []);
    if (edits === undefined) return edited;
    edited = applyEdits(edited, edits);
  }
  return undefined;
}

/** The edits that remove the first difference between a value of the text and the wanted one; undefined without any. */
function firstDifference(text: string, node: Node, wanted: unknown, path: Step[]): Edit[] | undefined {
  if (node.type === 'array' && Array.isArray(wanted) && itemsOf(node).length === wanted.length)
    return firstFound(itemsOf(node), (item, i) => firstDifference(text, item, wanted[i], [...path, i]));
  if (node.type === 'object' && isObject(wanted)) {
    const members = membersOf(node);
    const gone = members.filter(({ name }) => !Object.hasOwn(wanted, name));
    const added = Object.keys(wanted).filter((name) => members.every((member) => member.name !== name));
    const [old] = gone;
    const [key] = added;
    // As many new keys as old ones: the old ones were renamed, and each stays where it stands.
    if (old !== undefined && key !== undefined && gone.length === added.length)
      return [{ offset: old.key.offset, length: old.key.length, content: JSON.stringify(key) }];
    if (old !== undefined) return modify(text, [...path, old.name], undefined, {});
    if (key === undefined)
      return firstFound(Object.keys(wanted), (name) => {
        const value = memberOf(node, name);
        return value && firstDifference(text, value, wanted[name], [...path, name]);
      });
  }
  const written: unknown = JSON.parse(text.slice(node.offset, node.offset + node.length));
  if (JSON.stringify(written) === JSON.stringify(wanted)) return undefined;
  const indent = /[ \t]*/.exec(text.slice(text.lastIndexOf('\n', node.offset - 1) + 1))?.[0] ?? '';
  const content = formatQuery(JSON.stringify(wanted)).replaceAll('\n', `\n${indent}`);
  return [{ offset: node.offset, length: node.length, content }];
}

function firstFound<Item, Found>(
  items: readonly Item[],
  find: (item: Item, index: number) => Found | undefined,
): Found | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What lies between the common beginning and the common end of both texts, as a range of `after`. */
export function changedRange(before: string, after: string): TextRange {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let end = 0;
  while (end < shorter - from && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from, to: after.length - end };
}
