// Formats and highlights SQL. Loaded on first use.
import { PostgreSQL } from '@codemirror/lang-sql';
import { highlightCode, tagHighlighter, tags } from '@lezer/highlight';
import { duckdb, formatDialect, postgresql } from 'sql-formatter';
import { element } from '../shared/elements';

const COLORS = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.typeName], class: 'sql-keyword' },
  // The parser tags quoted names as special strings.
  { tag: tags.special(tags.string), class: 'sql-name' },
  { tag: tags.string, class: 'sql-string' },
  { tag: [tags.number, tags.bool, tags.null], class: 'sql-number' },
  { tag: tags.comment, class: 'sql-comment' },
]);

const DIALECTS: Readonly<Record<string, typeof postgresql>> = { rows: postgresql, columns: duckdb };

function formatText(sql: string, engine: string): string {
  try {
    return formatDialect(sql, {
      dialect: DIALECTS[engine] ?? postgresql,
      tabWidth: 2,
      expressionWidth: 80,
      paramTypes: { numbered: ['$', '?'], positional: true },
    });
  } catch {
    // SQL that the formatter cannot parse is shown unformatted.
    return sql;
  }
}

export function formatSql(sql: string, engine: string): readonly (string | Node)[] {
  const text = formatText(sql, engine);
  const nodes: (string | Node)[] = [];
  highlightCode(
    text,
    PostgreSQL.language.parser.parse(text),
    COLORS,
    (code, classes) => nodes.push(classes === '' ? code : element('span', code, classes)),
    () => nodes.push('\n'),
  );
  return nodes;
}
