// Applies repairs to the text of a query. Only the edited parts are reformatted.
import { applyEdits, modify, type Node } from 'jsonc-parser';
import type { QueryEdit } from '../../shared-types/query-check';
import { formatQuery } from './format-query';
import { memberOf, membersOf, nodeAt, readQueryText, type TextRange } from './query-text';

const INDENT = { formattingOptions: { tabSize: 2, insertSpaces: true, eol: '\n' } };

/** Applies edits in the server's order: writes, renames, then removals from the end, so that no edit shifts the next one. */
export function repairText(text: string, edits: readonly QueryEdit[]): string {
  const writes = edits.filter((edit) => 'value' in edit);
  const renames = edits.filter((edit) => 'rename' in edit);
  const removals = edits.filter((edit) => 'remove' in edit).reverse();
  return [...writes, ...renames, ...removals].reduce(applyEdit, text);
}

/** Renaming or removing a path that does not exist changes nothing; writing to such a path adds it. */
function applyEdit(text: string, edit: QueryEdit): string {
  const { root, errors, wrapped } = readQueryText(text);
  if (root === undefined || errors.length > 0) return text;
  const path = wrapped ? ['qal', ...edit.path] : [...edit.path];
  const node = nodeAt(root, path);
  const parent = nodeAt(root, path.slice(0, -1));
  const key = membersOf(parent).find(({ name }) => name === path.at(-1))?.key;
  if ('rename' in edit) {
    const isTaken = memberOf(parent, edit.rename) !== undefined;
    return key === undefined || isTaken ? text : replaced(text, key, JSON.stringify(edit.rename));
  }
  if ('remove' in edit) return without(text, parent?.children ?? [], key?.parent ?? node);
  if (node === undefined) return applyEdits(text, modify(text, path, edit.value, INDENT));
  const indent = /[ \t]*/.exec(text.slice(text.lastIndexOf('\n', node.offset - 1) + 1))?.[0] ?? '';
  return replaced(text, node, formatQuery(JSON.stringify(edit.value)).replaceAll('\n', `\n${indent}`));
}

/** Removes one of several siblings, and an adjacent comma. */
function without(text: string, siblings: readonly Node[], sibling: Node | undefined): string {
  if (sibling === undefined) return text;
  const at = siblings.indexOf(sibling);
  const [before, after] = [siblings[at - 1], siblings[at + 1]];
  const end = sibling.offset + sibling.length;
  if (after !== undefined) return text.slice(0, sibling.offset) + text.slice(after.offset);
  return (
    text.slice(0, before === undefined ? sibling.offset : before.offset + before.length) + text.slice(end)
  );
}

const replaced = (
  text: string,
  { offset, length }: { readonly offset: number; readonly length: number },
  by: string,
): string => text.slice(0, offset) + by + text.slice(offset + length);

/** The part between the common prefix and the common suffix, as a range of `after`. */
export function changedRange(before: string, after: string): TextRange {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let end = 0;
  while (end < shorter - from && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from, to: after.length - end };
}
