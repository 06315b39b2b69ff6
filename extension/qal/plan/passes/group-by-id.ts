// Pass: rows are grouped by ids; texts are looked up once per group instead of once per row.

// Proof: a text is a function of its id, so groups by id are never coarser than groups by text. Where the id is
// one-to-one with a kept text, they are the same groups; elsewhere a second grouping by text merges them, which
// COUNT, SUM, MIN, MAX and AVERAGE (sum and count) allow, and COUNTUNIQUE does not: then the pass does not fire.
import type { Manifest } from '../../../../manifests/reader/manifest';
import {
  type ComputedColumn,
  type Expression,
  type GroupNode,
  type PlanNode,
  SITE_FIELD,
} from '../../types/plan';
import { definitionOf } from '../definition-of';
import { mapInputs } from '../map-inputs';
import { isMergeable, merged, partialsOf, ratiosOf } from '../merge-aggregates';
import type { PassContext } from '../pass';

type Lookup = Extract<Expression, { readonly kind: 'lookup' }>;

export function groupById(node: PlanNode, context: PassContext): PlanNode {
  const { manifest } = context;
  const mapped = mapInputs(node, (input) => groupById(input, context));
  if (mapped.kind !== 'group') return mapped;
  const late = mapped.keys.flatMap((key) => {
    const value = definitionOf(key, mapped.input);
    return value !== undefined && lookupsOf(value) !== undefined ? [{ name: key, value }] : [];
  });
  if (late.length === 0) return mapped;
  const lookups = late.flatMap(({ value }) => lookupsOf(value) ?? []);
  const manySites = lookups.some(({ siteId }) => siteId === null);
  const ids = idKeys(lookups, manifest, manySites);
  const others = mapped.keys.filter((key) => !late.some(({ name }) => name === key));
  const keys = [...new Set([...others, ...ids])];
  if (pinned(late, manifest, manySites)) {
    return { kind: 'extend', input: { ...mapped, keys }, columns: late };
  }
  return mapped.aggregates.every(isMergeable) ? mergedByText(mapped, keys, late) : mapped;
}

/** The look-ups that a value is made of; undefined when it is made of anything else too. */
function lookupsOf(value: Expression): readonly Lookup[] | undefined {
  if (value.kind === 'lookup') return [value];
  if (value.kind !== 'joined-texts') return undefined;
  const parts = value.parts.map(lookupsOf);
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

const isPerSite = ({ dictionary }: Lookup, manifest: Manifest): boolean =>
  manifest.dictionaries.get(dictionary)?.scope === 'site';

function idKeys(lookups: readonly Lookup[], manifest: Manifest, manySites: boolean): readonly string[] {
  const site = manySites && lookups.some((lookup) => isPerSite(lookup, manifest)) ? [SITE_FIELD] : [];
  return [...lookups.map(({ key }) => key), ...site];
}

/** Whether every id is one-to-one with a text that the groups keep: then groups by id are groups by text. */
function pinned(late: readonly ComputedColumn[], manifest: Manifest, manySites: boolean): boolean {
  const isOneToOne = (lookup: Lookup): boolean => {
    const { unique, scope } = manifest.dictionaries.get(lookup.dictionary) ?? {};
    return lookup.bit === null && unique === lookup.field && !(manySites && scope === 'site');
  };
  const pinnedIds = new Set(
    late.flatMap(({ value }) => (value.kind === 'lookup' && isOneToOne(value) ? [value.key] : [])),
  );
  return late.flatMap(({ value }) => lookupsOf(value) ?? []).every(({ key }) => pinnedIds.has(key));
}

/** Group by id with partial aggregates, look the texts up, group by text with the partials merged. */
function mergedByText(group: GroupNode, keys: readonly string[], late: readonly ComputedColumn[]): PlanNode {
  const partials = group.aggregates.flatMap(partialsOf);
  const byId: PlanNode = { ...group, keys, aggregates: partials };
  const byText: PlanNode = {
    kind: 'group',
    input: { kind: 'extend', input: byId, columns: late },
    keys: group.keys,
    aggregates: partials.map(merged),
  };
  const ratios = ratiosOf(group.aggregates);
  return ratios.length === 0 ? byText : { kind: 'extend', input: byText, columns: ratios };
}
