// SQL as an opaque value, like Kysely's `sql` tag, so that a string cannot become SQL by accident. Only this file writes SQL
// text. It uses Knex, without a connection, to write SELECTs and to number bindings.
import knex, { type Knex } from 'knex';

const compiler = knex({ client: 'pg' });

type Binding = string | number | readonly (string | number | null)[];

type BindingType = ScalarType | `${ScalarType}[]`;
export type ScalarType = (typeof SCALAR_TYPES)[number];
const SCALAR_TYPES = ['smallint', 'int', 'bigint', 'float8', 'numeric', 'text', 'date', 'uuid'] as const;
const BINDING_TYPES: ReadonlySet<string> = new Set(SCALAR_TYPES.flatMap((type) => [type, `${type}[]`]));

/** SQL with its bindings. Only the type is exported, so the text stays in this file. */
class Snippet {
  readonly #text: string;
  readonly #bindings: readonly Knex.RawBinding[];

  constructor(text: string, bindings: readonly Knex.RawBinding[] = []) {
    this.#text = text;
    this.#bindings = bindings;
  }

  static concat(texts: readonly string[], snippets: readonly Snippet[]): Snippet {
    let all = texts[0] ?? '';
    const bindings: Knex.RawBinding[] = [];
    for (const [index, snippet] of snippets.entries()) {
      all += snippet.#text + (texts[index + 1] ?? '');
      bindings.push(...snippet.#bindings);
    }
    return new Snippet(all, bindings);
  }

  static toKnex(snippet: Snippet): Knex.Raw {
    return compiler.raw(snippet.#text, snippet.#bindings);
  }
}

export type { Snippet as Sql };

/** The literal parts of each template. Question marks are escaped, since Knex would replace them with bindings. */
const escaped = new WeakMap<TemplateStringsArray, readonly string[]>();

/** SQL as written in the source, with other SQL interpolated. Throws a TypeError for any other interpolated value. */
export function sql(texts: TemplateStringsArray, ...parts: readonly Snippet[]): Snippet {
  for (const part of parts) {
    if (!(part instanceof Snippet))
      throw new TypeError('Only SQL, ident() and value() are allowed in sql`...`.');
  }
  const known = escaped.get(texts) ?? escapeTemplate(texts);
  return Snippet.concat(known, parts);
}

function escapeTemplate(texts: TemplateStringsArray): readonly string[] {
  if (!Object.isFrozen(texts) || !Object.hasOwn(Object(texts), 'raw'))
    throw new TypeError('sql`...` is a template tag.');
  const known = texts.map((text) => text.replaceAll('?', '\\?'));
  escaped.set(texts, known);
  return known;
}

export function join(parts: readonly Snippet[], separator: Snippet = sql`, `): Snippet {
  const separated = parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
  return Snippet.concat(['', ...separated.map(() => '')], separated);
}

/** The conjunction of conditions. Requires at least one. */
export const allOf = (conditions: readonly Snippet[]): Snippet => join(conditions, sql` and `);

/** A quoted name: `ident('t1', 'page_id')` is "t1"."page_id". Throws for anything but plain names. */
export function ident(...path: readonly string[]): Snippet {
  if (!path.every((name) => /^[a-z][a-z0-9_]*$/.test(name)))
    throw new Error(`${JSON.stringify(path)} is not an identifier.`);
  return new Snippet(path.map((name) => `"${name}"`).join('.'));
}

export const table = (name: string): Snippet => ident('analytics', name);

export function value(binding: Binding, type: BindingType): Snippet {
  if (!BINDING_TYPES.has(type)) throw new TypeError(`${type} is not a valid binding type.`);
  return new Snippet(`?::${type}`, [binding as Knex.RawBinding]);
}

export function integer(number: number): Snippet {
  if (!Number.isSafeInteger(number)) throw new TypeError(`${number} is not a whole number.`);
  return new Snippet(`${number}`);
}

export interface SelectClauses {
  readonly from: Snippet;
  readonly joins: readonly JoinClause[];
  readonly where: readonly Snippet[];
  /** The number of leading columns to group by. */
  readonly groupBy: number;
  readonly orderBy: readonly Snippet[];
  readonly limit: number | null;
  readonly offset: number;
}

export interface JoinClause {
  readonly kind: 'inner' | 'left' | 'full';
  readonly table: Snippet;
  readonly on: Snippet;
}

/** A SELECT in parentheses. It returns rows even without columns. */
export const select = (clauses: SelectClauses, columns: readonly Snippet[]): Snippet =>
  new Snippet('?', [toBuilder(clauses, columns)]);

/** A SELECT as a complete statement: its text with $1, $2, ..., and their values. */
export function toStatement(clauses: SelectClauses, columns: readonly Snippet[]) {
  const { sql: text, bindings } = toBuilder(clauses, columns).toSQL().toNative();
  return { text, bindings };
}

/** SQL with its values as literals, for statements that cannot have bindings. */
export const withLiterals = (snippet: Snippet): string => Snippet.toKnex(snippet).toQuery();

function toBuilder(
  { from, joins, where, groupBy, orderBy, limit, offset }: SelectClauses,
  columns: readonly Snippet[],
): Knex.QueryBuilder {
  const query = compiler
    .queryBuilder()
    .select(Snippet.toKnex(columns.length === 0 ? sql`1` : join(columns)))
    .from(Snippet.toKnex(join([from, ...joins.map(joinSql)], sql` `)));
  if (where.length > 0) query.where(Snippet.toKnex(allOf(where)));
  // Groups by position, since a key may contain bindings, and PostgreSQL treats two bindings as different expressions.
  if (groupBy > 0) query.groupByRaw(Array.from({ length: groupBy }, (_, index) => index + 1).join(', '));
  if (orderBy.length > 0) query.orderByRaw(Snippet.toKnex(join(orderBy)));
  if (limit !== null) query.limit(limit);
  if (offset > 0) query.offset(offset);
  return query;
}

const joinSql = ({ kind, table, on }: JoinClause): Snippet => sql`${JOINS[kind]} ${table} on ${on}`;

const JOINS: Readonly<Record<JoinClause['kind'], Snippet>> = {
  inner: sql`inner join`,
  left: sql`left join`,
  full: sql`full join`,
};
