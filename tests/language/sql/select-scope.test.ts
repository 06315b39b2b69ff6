// Scopes are immutable: deriving a scope from another one does not change the original.

import { postgresql } from '../../../extension/language/sql/dialects/postgresql';
import { filtered, fromTable, joined, withColumns, wrap } from '../../../extension/language/sql/select-scope';
import { ident, sql, table, toStatement, value } from '../../../extension/language/sql/sql';
import { loadManifest } from '../../../manifests/reader/manifest';

const scope = fromTable(table('page'), 't1');
const textOf = (it: typeof scope) => toStatement(it, [it.column('url')]).text;
const PLAIN = 'select "t1"."url" from "analytics"."page" as "t1"';

test('a scope is never changed', () => {
  const narrow = filtered(scope, [sql`${scope.column('url')} = ${value('/a', 'text')}`]);
  const wide = joined(scope, { kind: 'left', table: sql`${table('site')} as ${ident('d2')}`, on: sql`true` });
  const other = withColumns(scope, new Map([['url', sql`'x'`]]));
  const [aliases, storage] = [['s2', 's3'], loadManifest()];
  const compilation = { dialect: postgresql, storage, nextAlias: () => aliases.shift() ?? '' };
  const cut = wrap({ ...narrow, limit: 5 }, ['url'], compilation);
  expect(textOf(scope)).toBe(PLAIN);
  expect(textOf(narrow)).toBe(`${PLAIN} where "t1"."url" = $1::text`);
  expect(textOf(filtered(narrow, [sql`true`]))).toBe(`${PLAIN} where "t1"."url" = $1::text and true`);
  expect(textOf(wide)).toBe(`${PLAIN} left join "analytics"."site" as "d2" on true`);
  expect(textOf(other)).toBe(PLAIN.replace('"t1"."url"', "'x'"));
  expect(textOf(cut)).toBe(
    `select "s2"."c1" from (${PLAIN.replace(' from', ' as "c1" from')} where "t1"."url" = $1::text limit $2) as "s2"`,
  );
  expect(() => cut.column('title')).toThrow('The plan reads title, which its input does not have.');
});
