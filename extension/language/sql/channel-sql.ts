// SQL for a row's channel. The rules that may match are computed once for each source and once for each medium, as a bitmask with
// one bit per rule. The lowest bit that is set in both masks is the first rule that matches. The columnar copy stores the masks for
// the shipped rules.
import type { ChannelRule, ChannelRules } from '../../../manifests/reader/channels';
import type { Manifest } from '../../../manifests/reader/manifest';
import { CHANNEL_MASK, type RulesOfSites } from '../types/channels';
import { type Expression, type Lookup, SITE_FIELD } from '../types/plan';
import { type Compilation, dimensionOf } from './compilation';
import { isInSites } from './condition-sql';
import type { Dialect } from './dialect';
import { postgresql } from './dialects/postgresql';
import { joined, type SelectScope, siteSql } from './select-scope';
import { allOf, ident, integer, join, type Sql, sql, table, value, withLiterals } from './sql';

type ChannelExpression = Extract<Expression, { readonly kind: 'channel' }>;

const DIMENSION = 'e';

/** The rules' conditions that depend on one dimension row. */
interface Side {
  readonly conditions: readonly {
    readonly of: Exclude<keyof ChannelRule, 'channel'>;
    readonly stored: readonly string[];
    readonly isHost: boolean;
  }[];
}

const SOURCE: Side = {
  conditions: [
    { of: 'source', stored: ['utm_source', 'source_domain'], isHost: true },
    { of: 'click_id', stored: ['click_id_name'], isHost: false },
  ],
};
const MEDIUM: Side = { conditions: [{ of: 'medium', stored: ['utm_medium'], isHost: false }] };

const lookupName = ({ key }: Lookup): string => `channel ${key}`;

/** Joins the masks of the sources and of the media. */
export const withChannelLookups = (
  scope: SelectScope,
  { source, medium, ...rules }: ChannelExpression,
  compilation: Compilation,
): SelectScope =>
  withMasks(withMasks(scope, source, SOURCE, rules, compilation), medium, MEDIUM, rules, compilation);

function withMasks(
  scope: SelectScope,
  lookup: Lookup,
  side: Side,
  rules: RulesOfSites,
  { dialect, storage, nextAlias }: Compilation,
): SelectScope {
  const name = lookupName(lookup);
  if (scope.lookups.has(name)) return scope;
  const stored = dimensionOf(lookup.dimension, storage);
  const alias = nextAlias('d');
  const tested = testedRules(rules, dialect);
  const mask = bySite(rules, field(SITE_FIELD), dialect, (one) =>
    tested.has(one) ? maskSql(one, side, dialect) : field(CHANNEL_MASK),
  );
  const columns = sql`${join([SITE_FIELD, stored.id].map(field))}, ${mask} as ${ident(CHANNEL_MASK)}`;
  const folded = withTexts(table(stored.table), side, dialect);
  const masks =
    tested.size === 0 ? table(stored.table) : sql`(select ${columns} from ${folded} as ${ident(DIMENSION)})`;
  const on = [
    sql`${ident(alias, SITE_FIELD)} = ${siteSql(scope, lookup.siteId)}`,
    sql`${ident(alias, stored.id)} = ${scope.column(lookup.key)}`,
  ];
  const clause = { kind: 'left', table: sql`${masks} as ${ident(alias)}`, on: allOf(on) } as const;
  return { ...joined(scope, clause), lookups: new Map([...scope.lookups, [name, alias]]) };
}

/** The rules whose masks are not stored. */
const testedRules = (
  { rules, isShipped, ofSites }: RulesOfSites,
  { hasChannelMasks }: Dialect,
): ReadonlySet<ChannelRules> =>
  new Set([...ofSites.map((it) => it.rules), ...(hasChannelMasks && isShipped ? [] : [rules])]);

const field = (name: string): Sql => ident(DIMENSION, name);

/** Dimension rows with the text values that rules compare. */
const withTexts = (rows: Sql, { conditions }: Side, dialect: Dialect): Sql =>
  dialect.withFolded(
    sql`${rows} as ${ident(DIMENSION)}`,
    conditions.map((it) => ({ ...it, name: it.of, text: textSql(it.stored.map(field)) })),
  );

/** The mask of a dimension row under the shipped rules, as PostgreSQL SQL that reads the row's fields. */
const storedMask = (side: Side, rules: ChannelRules): string => {
  const fields = side.conditions.flatMap(({ stored }) => stored).map((name) => ident(name));
  const folded = withTexts(sql`(select ${join(fields)})`, side, postgresql);
  return withLiterals(
    sql`(select ${maskSql(rules, side, postgresql)} from ${folded} as ${ident(DIMENSION)})`,
  );
};

/** The SQL for the masks that the columnar copy stores, by dimension. */
export const storedMasks = ({ channels }: Pick<Manifest, 'channels'>): Readonly<Record<string, string>> => ({
  source: storedMask(SOURCE, channels),
  medium: storedMask(MEDIUM, channels),
});

/** The scope must already have the channel's lookups. */
export function channelSql(
  scope: SelectScope,
  { source, medium, numberIn, ...rules }: ChannelExpression,
  dialect: Dialect,
): Sql {
  const mask = (lookup: Lookup, side: Side, one: ChannelRules): Sql => {
    const stored = ident(scope.lookups.get(lookupName(lookup)) ?? '', CHANNEL_MASK);
    return sql`coalesce(${stored}, ${integer(maskWithoutRow(one, side))})`;
  };
  return bySite(rules, siteSql(scope, source.siteId), dialect, (one) => {
    const both = sql`(${mask(source, SOURCE, one)} & ${mask(medium, MEDIUM, one)})`;
    const type = numberIn === undefined ? 'text' : 'int';
    const written = (channel: string) => (numberIn === undefined ? channel : numberIn.indexOf(channel));
    const channels = one.rules.map(({ channel }) => written(channel));
    const otherwise = value(written(one.otherwise), type);
    return channels.length === 0 ? otherwise : dialect.ofLowestBit(both, channels, type, otherwise);
  });
}

function bySite(
  { rules, ofSites }: RulesOfSites,
  site: Sql,
  dialect: Dialect,
  write: (rules: ChannelRules) => Sql,
): Sql {
  if (ofSites.length === 0) return write(rules);
  const cases = ofSites.map(
    ({ siteIds, rules: custom }) => sql`when ${isInSites(site, siteIds, dialect)} then ${write(custom)}`,
  );
  return sql`case ${join(cases, sql` `)} else ${write(rules)} end`;
}

const bitOf = (index: number): number => 2 ** index;

/** The bits of the rules that match if there is no dimension row, so that all values are missing. */
const maskWithoutRow = ({ rules }: ChannelRules, { conditions }: Side): number =>
  rules.reduce(
    (sum, rule, index) =>
      conditions.every(({ of }) => rule[of]?.includes(null) ?? true) ? sum + bitOf(index) : sum,
    0,
  );

/** Rules with the same patterns are tested only once. */
function maskSql({ rules }: ChannelRules, { conditions }: Side, dialect: Dialect): Sql {
  const tests = new Map<string, { readonly rule: ChannelRule; bits: number }>();
  for (const [index, rule] of rules.entries()) {
    const key = JSON.stringify(conditions.map(({ of }) => rule[of] ?? 'any'));
    const known = tests.get(key);
    if (known === undefined) tests.set(key, { rule, bits: bitOf(index) });
    else known.bits += bitOf(index);
  }
  const parts = [...tests.values()].map(({ rule, bits }) => {
    const holds = conditions.flatMap((condition) => {
      const texts = rule[condition.of];
      return texts === undefined ? [] : [isOneOf(condition, texts, dialect)];
    });
    return holds.length === 0
      ? integer(bits)
      : sql`case when ${allOf(holds)} then ${integer(bits)} else 0 end`;
  });
  return sql`(${join([integer(0), ...parts], sql` + `)})::bigint`;
}

const textSql = (fields: readonly Sql[]): Sql =>
  fields.length === 1 ? join(fields) : sql`coalesce(${join(fields)})`;

function isOneOf(
  { of, isHost }: Side['conditions'][number],
  texts: readonly (string | null)[],
  dialect: Dialect,
): Sql {
  const text = field(of);
  const given = texts.filter((one) => one !== null);
  const exact = given.filter((one) => !one.includes('*'));
  const alternatives = [
    ...(texts.includes(null) ? [sql`${text} is null`] : []),
    ...(exact.length === 0
      ? []
      : [isHost ? dialect.isHostOf(of, exact, field) : dialect.isAmongTexts(text, exact)]),
    ...given.filter((one) => one.includes('*')).map((pattern) => matches(text, pattern, dialect)),
  ];
  return sql`(${join(alternatives, sql` or `)})`;
}

/** `*` at the beginning or end of a pattern matches any text. */
function matches(text: Sql, pattern: string, dialect: Dialect): Sql {
  const part = value(pattern.replaceAll('*', ''), 'text');
  if (!pattern.endsWith('*')) return dialect.endsWith(text, part);
  return pattern.startsWith('*') ? dialect.contains(text, part) : sql`starts_with(${text}, ${part})`;
}
