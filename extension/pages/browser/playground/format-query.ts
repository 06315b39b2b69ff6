// Formats a query: short values stay on one line, and others are broken up. Unlike JSON.parse, it keeps keys in their order,
// and values as they are written.
import { applyEdits, format, type Node } from 'jsonc-parser';
import { readQueryText } from './query-text';

const MAX_LINE_LENGTH = 76;

/** In text that is not valid JSON, only line breaks and spaces are added; deeply nested text is returned unchanged. */
export function formatQuery(text: string): string {
  const { root, errors, tooDeep } = readQueryText(text);
  if (tooDeep !== undefined) return text;
  if (root !== undefined && errors.length === 0) return print(root, text, '', 0);
  return applyEdits(text, format(text, undefined, { tabSize: 2, insertSpaces: true, eol: '\n' }));
}

/** `used`: characters before the value on its line, without the indent. */
function print(node: Node, text: string, indent: string, used: number): string {
  const line = printOnOneLine(node, text);
  const children = node.children ?? [];
  const fits = indent.length + used + line.length <= MAX_LINE_LENGTH;
  if (children.length === 0 || (fits && !children.some(holdsNested))) return line;
  const inner = `${indent}  `;
  const lines = children.map((child) => {
    const [key, value] = child.children ?? [];
    if (child.type !== 'property' || key === undefined || value === undefined)
      return inner + print(child, text, inner, 0);
    const name = `${sourceOf(key, text)}: `;
    return inner + name + print(value, text, inner, name.length);
  });
  const [open, close] = node.type === 'array' ? '[]' : '{}';
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** An object with nested objects or lists is always broken up. */
const holdsNested = ({ type, children: [, value] = [] }: Node): boolean =>
  type === 'property' && (value?.type === 'object' || value?.type === 'array');

const sourceOf = ({ offset, length }: Node, text: string): string => text.slice(offset, offset + length);

function printOnOneLine(node: Node, text: string): string {
  const parts = (node.children ?? []).map((child) => printOnOneLine(child, text));
  if (node.type === 'property') return parts.join(': ');
  if (node.type === 'array') return `[${parts.join(', ')}]`;
  if (node.type === 'object') return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
  return sourceOf(node, text);
}
