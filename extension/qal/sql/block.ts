// Owns one SELECT under construction and the columns that can be written in it.
// Knex holds the text and the bindings; aliases are ours, never the caller's names.
import knex, { type Knex } from 'knex';
import type { JoinMode } from '../types/parsed-query';

/** A piece of SQL with its bindings. */
export interface Sql {
  readonly text: string;
  readonly bindings: readonly Binding[];
}

export type Binding = string | number | readonly number[] | readonly (string | null)[];

/** Knex as a compiler: it has no connection and never gets one. */
const compiler = knex({ client: 'pg' });

export const raw = ({ text, bindings }: Sql): Knex.Raw => compiler.raw(text, bindings as Knex.RawBinding[]);

/** SQL with each `{}` filled by the next part, bindings kept in order. */
export function sql(template: string, ...parts: readonly Sql[]): Sql {
  const pieces = template.split('{}');
  return {
    text: pieces.map((piece, i) => piece + (i < pieces.length - 1 ? (parts[i]?.text ?? '') : '')).join(''),
    bindings: parts.flatMap((part) => part.bindings),
  };
}

/** A value of the caller or of the plan: always a binding, with its type. */
export const bind = (value: Binding, type: string): Sql => ({ text: `?::${type}`, bindings: [value] });

/** Aliases are numbered through one statement. */
export interface Aliases {
  next(prefix: string): string;
}

export function newAliases(): Aliases {
  let count = 0;
  return { next: (prefix) => `${prefix}${++count}` };
}

export interface Block {
  readonly query: Knex.QueryBuilder;
  /** The SQL of a column of the plan inside this SELECT. */
  readonly column: (name: string) => Sql;
  /** Grouped or cut: whatever comes next must stand around it. */
  readonly sealed: boolean;
  readonly ordered: boolean;
  /** Dimensions joined so far, by key and table. */
  readonly lookups: ReadonlyMap<string, string>;
}

/** SELECT from a table under an alias; every field of it is a column. */
export function fromTable(table: string, alias: string): Block {
  const query = compiler.queryBuilder().from(compiler.raw('?? as ??', [`analytics.${table}`, alias]));
  return { ...opened(query), column: (field) => ({ text: `${alias}.${field}`, bindings: [] }) };
}

/** SELECT from a sub-select that computes the columns out of tables that are written out, with their conditions. */
export function fromColumns(columns: ReadonlyMap<string, Sql>, tables: Sql, aliases: Aliases): Block {
  const inner = compiler.queryBuilder().from(raw(tables));
  const block: Omit<Block, 'column'> = opened(inner);
  return wrap({ ...block, column: (name) => columns.get(name) ?? missing(name) }, columns.keys(), aliases);
}

/** The rows of all blocks, each of which gives out the same columns. */
export function unionAll(blocks: readonly Block[], names: readonly string[], aliases: Aliases): Block {
  const alias = aliases.next('s');
  const columns = new Map(names.map((name, index) => [name, `c${index + 1}`]));
  const selects = blocks.map(({ query, column }) => {
    const selected = [...columns].map(([name, as]) => raw(sql(`{} as ${as}`, column(name))));
    return query.select(selected.length === 0 ? compiler.raw('1') : selected);
  });
  // Not by knex's own union, which puts the bindings of the first FROM before those of its SELECT.
  const union = compiler.raw(`(${selects.map(() => '?').join(' union all ')}) as ${alias}`, selects);
  const query = compiler.queryBuilder().from(union);
  const column = (name: string): Sql => ({
    text: `${alias}.${columns.get(name) ?? missing(name)}`,
    bindings: [],
  });
  return { ...opened(query), column };
}

/** The block run once for each row of a table that stands beside it, with one more column out of that table. */
export function lateral(
  table: Sql,
  block: Block,
  names: Iterable<string>,
  added: { readonly name: string; readonly value: Sql },
  aliases: Aliases,
): Block {
  const { inner, column } = subSelect(block, names, aliases);
  const query = compiler
    .queryBuilder()
    .from(raw(table))
    .crossJoin(compiler.raw('lateral ?', [inner]));
  return { ...opened(query), column: (name) => (name === added.name ? added.value : column(name)) };
}

/** The block with another one joined to it as a sub-select; `right` gives the columns of that one. */
export function joinBlock(
  block: Block,
  other: Block,
  names: Iterable<string>,
  pairs: readonly (readonly [left: Sql, right: string])[],
  mode: JoinMode,
  aliases: Aliases,
) {
  const { inner, column } = subSelect(other, names, aliases);
  const on = sql(
    pairs.map(() => '{} = {}').join(' and '),
    ...pairs.flatMap(([left, right]) => [left, column(right)]),
  );
  if (mode === 'drop') block.query.join(inner, raw(on));
  else block.query.leftJoin(inner, raw(on));
  return { block, right: column };
}

/** The block as a sub-select that gives out the named columns. */
export function wrap(block: Block, names: Iterable<string>, aliases: Aliases): Block {
  const { inner, column } = subSelect(block, names, aliases);
  return { ...opened(compiler.queryBuilder().from(inner)), column };
}

/** Likewise of its first rows in its order, with all that are equal there to the last of them. */
export function wrapFirst(block: Block, count: number, names: Iterable<string>, aliases: Aliases): Block {
  const { alias, selected, column } = selectOf(block, names, aliases);
  const first = compiler.raw('(? fetch first ? rows with ties) as ??', [selected, count, alias]);
  return { ...opened(compiler.queryBuilder().from(first)), column };
}

/** A SELECT in which nothing is grouped, cut or joined yet. */
const opened = (query: Knex.QueryBuilder): Omit<Block, 'column'> => ({
  query,
  sealed: false,
  ordered: false,
  lookups: new Map(),
});

function subSelect(block: Block, names: Iterable<string>, aliases: Aliases) {
  const { alias, selected, column } = selectOf(block, names, aliases);
  return { inner: selected.as(alias), column };
}

function selectOf(block: Block, names: Iterable<string>, aliases: Aliases) {
  const alias = aliases.next('s');
  const columns = new Map([...new Set(names)].map((name, index) => [name, `c${index + 1}`]));
  const select = [...columns].map(([name, as]) => raw(sql(`{} as ${as}`, block.column(name))));
  // A SELECT without any column still has rows, which is all that COUNT(*) needs.
  const selected = block.query.select(select.length === 0 ? compiler.raw('1') : select);
  const column = (name: string): Sql => {
    return { text: `${alias}.${columns.get(name) ?? missing(name)}`, bindings: [] };
  };
  return { alias, selected, column };
}

function missing(name: string): never {
  throw new Error(`The plan asks for ${name}, which its input does not give out.`);
}
