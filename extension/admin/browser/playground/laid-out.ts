// Lays the text of a query out as people write it: what is short stands on one line, everything else has lines of its own.
// Keys keep their order and every value its spelling; a text that is no JSON gets its line ends and spaces alone.
// One that is too deep stays as it is: its indents would be larger than itself.
import { applyEdits, format, type Node } from 'jsonc-parser';
import { readQueryText } from './query-text';

const LONGEST_LINE = 76;
const FORM = { tabSize: 2, insertSpaces: true, eol: '\n' };

export function laidOut(text: string): string {
  const { root, errors, tooDeep } = readQueryText(text);
  if (tooDeep !== undefined) return text;
  if (root === undefined || errors.length > 0) return applyEdits(text, format(text, undefined, FORM));
  return written(root, text, '', 0);
}

/** `before` is what stands before the value on its line, in characters. */
function written(node: Node, text: string, indent: string, before: number): string {
  const line = onOneLine(node, text);
  const children = node.children ?? [];
  const isSmall = indent.length + before + line.length <= LONGEST_LINE && !holdsObject(children);
  if (children.length === 0 || isSmall) return line;
  const inner = `${indent}  `;
  const lines = children.map((child) => {
    const [key, value] = child.children ?? [];
    if (child.type !== 'property' || key === undefined || value === undefined)
      return inner + written(child, text, inner, 0);
    const name = `${spelled(key, text)}: `;
    return inner + name + written(value, text, inner, name.length);
  });
  const [open, close] = node.type === 'array' ? ['[', ']'] : ['{', '}'];
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** An object with objects or lists in it has lines of its own, however short it is. */
const holdsObject = (children: readonly Node[]): boolean =>
  children.some(
    ({ type, children: [, value] = [] }) =>
      type === 'property' && (value?.type === 'object' || value?.type === 'array'),
  );

const spelled = ({ offset, length }: Node, text: string): string => text.slice(offset, offset + length);

function onOneLine(node: Node, text: string): string {
  const parts = (node.children ?? []).map((child) => onOneLine(child, text));
  switch (node.type) {
    case 'property':
      return parts.join(': ');
    case 'array':
      return `[${parts.join(', ')}]`;
    case 'object':
      return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
    default:
      return spelled(node, text);
  }
}
