// Puts a repair into the text that it repairs: text + error -> the text with only those values changed that differ.
// Layout, order of keys and spelling of numbers stay; a repair that cannot be written so replaces the whole text.
import { applyEdits, type Edit, modify, type Node } from 'jsonc-parser';
import type { ServerError } from './faults';
import { laidOut } from './laid-out';
import { itemsOf, memberOf, membersOf, readQueryText, type Step, WRAPPER } from './query-text';
import type { TextRange } from './text-places';

export interface RepairedText {
  readonly text: string;
  /** What is new in it. */
  readonly changed: TextRange;
}

/** A repair has fewer places than this. */
const MOST_EDITS = 200;

/** Undefined when the error carries no repair. */
export function repairedText(text: string, { details }: ServerError): RepairedText | undefined {
  const repaired = details?.repaired;
  if (repaired === undefined) return undefined;
  const wanted = readQueryText(text).wrapped ? { [WRAPPER]: repaired } : repaired;
  const edited = editedText(text, wanted) ?? laidOut(JSON.stringify(wanted));
  return { text: edited, changed: changedRange(text, edited) };
}

/** Edit by edit, each found in the text as it is then. */
function editedText(text: string, wanted: unknown): string | undefined {
  let edited = text;
  for (let count = 0; count < MOST_EDITS; count++) {
    const { root, errors } = readQueryText(edited);
    if (root === undefined || errors.length > 0) return undefined;
    const edits = firstEdit(edited, root, wanted, []);
    if (edits === undefined) return edited;
    edited = applyEdits(edited, [...edits]);
  }
  return undefined;
}

type Values = Readonly<Record<string, unknown>>;

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What makes the first difference between a value of the text and the wanted one go away; undefined without any. */
function firstEdit(
  text: string,
  node: Node,
  wanted: unknown,
  path: readonly Step[],
): readonly Edit[] | undefined {
  if (node.type === 'object' && isValues(wanted)) return editOfObject(text, node, wanted, path);
  if (node.type === 'array' && Array.isArray(wanted) && itemsOf(node).length === wanted.length)
    return firstOf(itemsOf(node), (item, i) => firstEdit(text, item, wanted[i], [...path, i]));
  const written: unknown = JSON.parse(text.slice(node.offset, node.offset + node.length));
  if (JSON.stringify(written) === JSON.stringify(wanted)) return undefined;
  const indent = /[ \t]*/.exec(text.slice(text.lastIndexOf('\n', node.offset - 1) + 1))?.[0] ?? '';
  const content = laidOut(JSON.stringify(wanted)).replaceAll('\n', `\n${indent}`);
  return [{ offset: node.offset, length: node.length, content }];
}

function firstOf<Item, Found>(
  items: readonly Item[],
  find: (item: Item, index: number) => Found | undefined,
): Found | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A new member stands as far from the one before it as that one from what is before it. */
function insertion(text: string, node: Node, place: number, key: string, value: unknown): Edit {
  const members = membersOf(node);
  const neighbour = members[Math.max(0, Math.min(place, members.length) - 1)];
  const start = neighbour?.key.offset ?? node.offset + 1;
  const gap = /\s*$/.exec(text.slice(0, start))?.[0] ?? '';
  const indent = gap.slice(gap.lastIndexOf('\n') + 1);
  const written = laidOut(JSON.stringify(value)).replaceAll('\n', `\n${indent}`);
  const member = `${JSON.stringify(key)}: ${written}`;
  if (neighbour === undefined) return { offset: start, length: 0, content: member };
  if (place === 0) return { offset: start, length: 0, content: `${member},${gap}` };
  const last = neighbour.value ?? neighbour.key;
  return { offset: last.offset + last.length, length: 0, content: `,${gap}${member}` };
}

function editOfObject(
  text: string,
  node: Node,
  wanted: Values,
  path: readonly Step[],
): readonly Edit[] | undefined {
  const members = membersOf(node);
  const written = new Set(members.map(({ name }) => name));
  const gone = members.filter(({ name }) => !Object.hasOwn(wanted, name));
  const added = Object.keys(wanted).filter((name) => !written.has(name));
  const [old] = gone;
  const [key] = added;
  // As many new keys as old ones are the old ones under other names: each stays where it stands.
  if (old !== undefined && key !== undefined && gone.length === added.length)
    return [{ offset: old.key.offset, length: old.key.length, content: JSON.stringify(key) }];
  if (old !== undefined) return modify(text, [...path, old.name], undefined, {});
  if (key !== undefined) return [insertion(text, node, Object.keys(wanted).indexOf(key), key, wanted[key])];
  return firstOf(Object.keys(wanted), (name) => {
    const value = memberOf(node, name);
    return value === undefined ? undefined : firstEdit(text, value, wanted[name], [...path, name]);
  });
}

/** What lies between the common beginning and the common end of both texts. */
export function changedRange(before: string, after: string): TextRange {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let end = 0;
  while (end < shorter - from && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from, to: after.length - end };
}
