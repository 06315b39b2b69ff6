// Formats SQL with one line per clause and condition, and indents subqueries.

const WIDTH = 110;
const TOKEN = /'(?:[^']|'')*'|"[^"]*"|[(),]|[^\s'"(),]+|\s+/g;
const CLAUSE = /^((left |cross |inner )?join|from|where|group by|having|order by|limit|union)\b/;

/** Returns the formatted statement, followed by its bindings as a comment. */
export function formatSql(text: string, bindings: readonly unknown[]): string {
  const lines: string[] = [];
  let line = '';
  /** For each open parenthesis around a subquery, the indentation of its clauses. Null for other parentheses and CASE. */
  const open: { readonly indent: string | null }[] = [{ indent: '' }];
  const clauseIndent = (): string | null => open.at(-1)?.indent ?? null;
  const startLine = (indent: string): void => {
    if (line.trim() !== '') lines.push(line.trimEnd());
    line = indent;
  };
  let previous = '';
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const indent = clauseIndent();
    const rest = text.slice(index);
    if (token === ')' || token === 'end') {
      open.pop();
      if (indent !== null && token === ')') startLine(indent.slice(2));
    } else if (indent !== null && token === 'and') startLine(`${indent}  `);
    else if (indent !== null && CLAUSE.test(rest) && !/^(distinct|left|cross|inner)$/.test(previous))
      startLine(indent);
    const isSpace = token.trim() === '';
    if (!isSpace) previous = token;
    line += isSpace ? (line.trim() === '' ? '' : ' ') : token;
    if (token === 'case') open.push({ indent: null });
    if (token === '(') {
      const inner = /^\(+\s*select\b/.test(rest) ? `${/^ */.exec(line)}  ` : null;
      open.push({ indent: inner });
      if (inner !== null) startLine(inner);
    }
    if (token === ',' && indent !== null && line.length > WIDTH - 20) startLine(`${indent}  `);
  }
  startLine('');
  return `${lines.join('\n')};\n${comment(bindings)}`;
}

/** Formats bindings as `-- $1 = 5  $2 = "a"`, on several lines if necessary. */
function comment(bindings: readonly unknown[]): string {
  const lines: string[] = [];
  for (const [index, value] of bindings.entries()) {
    const text = `$${index + 1} = ${JSON.stringify(value)}`;
    const last = lines.at(-1);
    if (last === undefined || last.length + text.length > WIDTH) lines.push(`-- ${text}`);
    else lines[lines.length - 1] = `${last}  ${text}`;
  }
  return lines.map((one) => `${one}\n`).join('');
}
