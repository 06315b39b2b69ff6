// SQL is an opaque value. Statements consist only of fixed text, identifiers and bound values.
import {
  ident,
  integer,
  join,
  type Sql,
  select,
  sql,
  table,
  toStatement,
  value,
} from '../../../extension/language/sql/sql';

const clauses = { from: sql`t`, joins: [], where: [], groupBy: 0, orderBy: [], limit: null, offset: 0 };
const statement = (...columns: readonly Sql[]) => toStatement(clauses, columns);
/** Calls the tag without type checking. */
const callTag = (...args: readonly unknown[]): unknown => Reflect.apply(sql, undefined, args);
const template = (texts: TemplateStringsArray, ..._parts: readonly unknown[]) => texts;
const textOf = (column: Sql): string => statement(column).text;

describe('the template', () => {
  test('puts values into bindings in order', () => {
    const inner = sql`${value(1, 'int')} + ${value([2, 3], 'int[]')}[1]`;
    expect(statement(sql`f(${inner}, ${value("it's", 'text')})`)).toEqual({
      text: 'select f($1::int + $2::int[][1], $3::text) from t',
      bindings: [1, [2, 3], "it's"],
    });
  });

  test.each(['a', 1, null, undefined, ['a'], { text: 'a', bindings: [] }, new String('a')])(
    'rejects %p',
    (part) => {
      expect(() => callTag(template`${part}`, part)).toThrow('Only SQL, ident() and value()');
    },
  );

  test('rejects strings and lookalikes at compile time', () => {
    const isSql: string extends Sql ? true : { text: string; bindings: [] } extends Sql ? true : false =
      false;
    expect(isSql).toBe(false);
  });

  test('cannot be called with strings', () => {
    const texts = ['drop table t'];
    for (const argument of ['drop table t', texts, Object.assign(texts, { raw: texts })])
      expect(() => callTag(argument)).toThrow('template tag');
  });

  test('exposes neither its text nor its bindings', () => {
    const part = sql`secret ${value('hidden', 'text')}`;
    expect(Object.keys(part)).toEqual([]);
    expect(`${JSON.stringify(part)} ${String(part)}`).not.toMatch(/secret|hidden/);
  });

  test('keeps a literal question mark', () => {
    expect(statement(sql`params ? ${value('a', 'text')}`)).toEqual({
      text: 'select params ? $1::text from t',
      bindings: ['a'],
    });
  });
});

describe('identifiers', () => {
  test('are quoted', () => {
    expect(textOf(ident('t1', 'order'))).toBe('select "t1"."order" from t');
    expect(textOf(sql`${table('page')}.*`)).toBe('select "analytics"."page".* from t');
  });

  test.each(['', 'a"b', 'a.b', 'a b', 'A', 'a as b', '*', '1', 'a?', 'ä'])('cannot be %j', (name) => {
    expect(() => ident('t1', name)).toThrow('is not an identifier');
    expect(() => table(name)).toThrow('is not an identifier');
  });
});

describe('values', () => {
  test('must have a known type', () => {
    expect(() => Reflect.apply(value, undefined, [1, 'int; drop table t'])).toThrow(TypeError);
  });

  test('are written as literals only if they are whole numbers', () => {
    expect(textOf(integer(-3))).toBe('select -3 from t');
    for (const number of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1'])
      expect(() => Reflect.apply(integer, undefined, [number])).toThrow(TypeError);
  });
});

test('parts are joined by a separator', () => {
  expect(textOf(sql`f(${join([])})`)).toBe('select f() from t');
  expect(textOf(join([ident('a'), ident('b')]))).toBe('select "a", "b" from t');
  expect(textOf(join([ident('a'), ident('b')], sql` and `))).toBe('select "a" and "b" from t');
});

test('the bindings of a nested SELECT are numbered together with those of the outer one', () => {
  const inner = select(
    { ...clauses, where: [sql`a = ${value(2, 'int')}`], groupBy: 1, orderBy: [sql`a desc`], limit: 3 },
    [ident('a'), sql`count(*)`],
  );
  const outer = {
    from: sql`${inner} as ${ident('s')}`,
    joins: [
      { kind: 'left', table: sql`u`, on: sql`u.x = ${value(4, 'int')}` },
      { kind: 'inner', table: sql`v`, on: sql`true` },
    ],
    where: [sql`b`, sql`c`],
    groupBy: 0,
    orderBy: [],
    limit: null,
    offset: 0,
  } as const;
  expect(toStatement(outer, [value(1, 'int')])).toEqual({
    text: 'select $1::int from (select "a", count(*) from t where a = $2::int group by 1 order by a desc limit $3) as "s" left join u on u.x = $4::int inner join v on true where b and c',
    bindings: [1, 2, 3, 4],
  });
});

test('a SELECT without columns still returns rows', () => {
  expect(statement().text).toBe('select 1 from t');
});
