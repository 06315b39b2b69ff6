// Lays a statement out for reading: a line for each clause and condition, subqueries indented.

const WIDTH = 110;
const TOKEN = /'(?:[^']|'')*'|"[^"]*"|[(),]|[^\s'"(),]+|\s+/g;
const CLAUSE = /^((left |cross |inner )?join|from|where|group by|having|order by|limit|union)\b/;
/** After these words, the same words belong to an expression or have begun a line already. */
const NO_CLAUSE_AFTER = new Set(['distinct', 'left', 'cross', 'inner']);

/** The statement, and its bindings in a comment behind it. */
export function formatSql(text: string, bindings: readonly unknown[]): string {
  const lines: string[] = [];
  let line = '';
  const startLine = (indent: string): void => {
    if (line.trim() !== '') lines.push(line.trimEnd());
    line = indent;
  };
  /** For each open subquery the indent of its clauses; null for other brackets and CASE, which stay on their line. */
  const open: (string | null)[] = [''];
  let previous = '';
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token.trim() === '') {
      if (line.trim() !== '') line += ' ';
      continue;
    }
    const rest = text.slice(index);
    const indent = open.at(-1) ?? null;
    if (token === ')' || token === 'end') open.pop();
    if (indent !== null) {
      if (token === ')') startLine(indent.slice(2));
      else if (token === 'and') startLine(`${indent}  `);
      else if (CLAUSE.test(rest) && !NO_CLAUSE_AFTER.has(previous)) startLine(indent);
    }
    line += token;
    previous = token;
    if (token === 'case') open.push(null);
    if (token === '(') {
      const inner = /^\(+\s*select\b/.test(rest) ? `${/^ */.exec(line)}  ` : null;
      open.push(inner);
      if (inner !== null) startLine(inner);
    }
    if (token === ',' && indent !== null && line.length > WIDTH - 20) startLine(`${indent}  `);
  }
  startLine('');
  return `${lines.join('\n')};\n${comment(bindings)}`;
}

/** `-- $1 = 5  $2 = "a"`, on as many lines as it takes. */
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
