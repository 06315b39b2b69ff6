import type { Column, Material } from '../../../manifests/reader/manifest';
import type { Computation } from '../../../manifests/reader/schema';
import type { LookupOrigin } from '../types/channels';
import { CTR_FIELD } from '../types/micros';
import { SITE_FIELD } from '../types/plan';
import type { BoundColumn, ComputedValue, RoundedRatio, StoredOrigin } from '../types/resolved-query';

export function bindColumn(material: Material, column: Column): BoundColumn {
  return {
    name: column.name,
    side: 'from',
    type: column.type,
    nullable: column.nullable,
    isKey: material.join.has(column.name),
    ...identified(material, column),
    ...knownOf(column),
    origin: originOf(material, column),
  };
}

/** Ids identify the same things if they are from the same dimension or, without a dimension, have the same name. */
function identified({ keys }: Material, { type, name, field = name, via }: Column) {
  if (via === SITE_FIELD) return { identifies: keys.get(via) };
  return type === 'id' ? { identifies: keys.get(field) ?? name } : {};
}

function knownOf({ values, words }: Column): Pick<BoundColumn, 'known'> {
  if (values !== undefined) return { known: { texts: values } };
  return words === undefined ? {} : { known: { words } };
}

function originOf(material: Material, column: Column): StoredOrigin {
  const field = column.field ?? column.name;
  if (column.part !== undefined) return timePart(material, column.part);
  if (column.computed !== undefined) return COMPUTED[column.computed](material);
  if (column.goal !== undefined) return { kind: 'converted', goal: column.goal };
  if (column.word_of !== undefined) return word(material, column.word_of);
  if (column.via !== undefined) return lookup(material, column.via, field, column.bit ?? null);
  if (column.per !== undefined) return computed({ kind: 'product', columns: [field], per: column.per });
  if (column.param !== undefined) {
    const type = column.type === 'num' ? 'number' : 'string';
    return computed({ kind: 'parameter', column: 'params', name: column.param, type });
  }
  return { kind: 'field', field };
}

const computed = (value: ComputedValue): StoredOrigin => ({ kind: 'computed', value });

const COMPUTED: Readonly<Record<Computation, (material: Material) => StoredOrigin>> = {
  ua: (material) => ({
    kind: 'joined-texts',
    parts: ['os', 'browser'].map((part) => originOf(material, columnOf(material, part))),
  }),
  channel: (material) => ({
    kind: 'channel',
    source: lookup(material, 'source_id', 'source_domain', null),
    medium: lookup(material, 'medium_id', 'utm_medium', null),
  }),
  params_json: () => computed({ kind: 'json-text', column: 'params' }),
  ctr: () => computed({ ...ratio('clicks', 'impressions', 10_000), copied: CTR_FIELD }),
  ctr_of_sums: () => computed(ratio('clicks_sum', 'impressions_sum', 10_000)),
  position_weighted: () => computed({ kind: 'product', columns: ['position_x100', 'impressions'], per: 100 }),
  position_wavg: () => computed({ ...ratio('weighted_x100', 'impressions_sum', 100), times: 1 }),
  country_number: () => computed({ kind: 'letters-number', column: 'country_code' }),
  pv_index: () => computed({ kind: 'shifted', column: 'pv', by: -1 }),
  zero: () => computed({ kind: 'constant', value: 0 }),
  session_index: () => ({ kind: 'field', field: 'session_index' }),
  session_no: () => ({ kind: 'session-of-day' }),
  has_depth: () => computed({ kind: 'has-value', column: 'depth_position' }),
  has_clicks: () => ({ kind: 'has-rows', material: 'click_event', key: 'pv_id' }),
  has_events: () => ({ kind: 'has-rows', material: 'datalayer_event', key: 'pv_id' }),
};

const ratio = (dividend: string, divisor: string, per: number): RoundedRatio => ({
  kind: 'rounded-ratio',
  dividend,
  divisor,
  times: per,
  per,
});

function timePart({ name, time }: Material, part: NonNullable<Column['part']>): StoredOrigin {
  if (time === undefined) throw new Error(`The manifest has no time for ${name}.`);
  return { kind: 'time-part', part, field: time.field, grain: time.grain };
}

function word(material: Material, name: string): StoredOrigin {
  const { words = {}, field = name } = columnOf(material, name);
  const inOrder = Object.entries(words).sort(([, a], [, b]) => a - b);
  return computed({ kind: 'word', column: field, words: inOrder.map(([text]) => text) });
}

function lookup({ name, keys }: Material, key: string, field: string, bit: number | null): LookupOrigin {
  const dimension = keys.get(key);
  if (dimension === undefined) throw new Error(`The manifest has no dimension for ${key} of ${name}.`);
  return { kind: 'lookup', dimension, key, field, bit };
}

export function columnOf(material: Material, name: string): Column {
  const column = material.columns.get(name);
  if (column === undefined) throw new Error(`The manifest has no column ${name} in ${material.name}.`);
  return column;
}
