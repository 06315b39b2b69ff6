// A contract's promises as plain data, which may be extended but never changed or removed. published/<version>.json contains the
// promises made when the contract was published.
import { ERRORS } from '../../../extension/language/errors/error-table';
import { materialNames, materialOf } from '../../../manifests/reader/catalog';
import type { Contract, Manifest, Material } from '../../../manifests/reader/manifest';

/** JSON in which the order of lists does not matter. */
export type Published =
  | string
  | number
  | boolean
  | null
  | readonly Published[]
  | { readonly [key: string]: Published };

/** The promises of a contract. */
export function publishedForm(manifest: Manifest, contract: Contract): Published {
  const { request, limits, features } = contract;
  const materials = materialNames(manifest, contract).map((name) => [
    name,
    materialForm(materialOf(manifest, contract, name)),
  ]);
  const on = [...features].filter(([, feature]) => feature.enabled);
  return {
    materials: Object.fromEntries(materials),
    request: {
      ...request,
      filter_operators: typesOf(request.filter_operators),
      calc_functions: typesOf(request.calc_functions),
      join_modes: Object.keys(request.join_modes),
    },
    limits,
    features: [...features.keys()],
    enabled: Object.fromEntries(on.map(([name, feature]) => [name, feature.since ?? null])),
    errors: Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status])),
  };
}

function materialForm(material: Material | undefined): Published {
  if (material === undefined) throw new Error('A contract names an unknown material.');
  return {
    supports_all: material.supportsAll,
    order: material.order.join(', '),
    join: [...material.join.keys()],
    columns: Object.fromEntries([...material.columns].map(([name, { type }]) => [name, type])),
  };
}

const typesOf = (table: Readonly<Record<string, { readonly types: readonly string[] }>>): Published =>
  Object.fromEntries(Object.entries(table).map(([name, { types }]) => [name, types]));

const isObject = (value: Published | undefined): value is { readonly [key: string]: Published } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Describes each published promise that `now` breaks, with its location. */
export function brokenPromises(
  published: Published,
  now: Published | undefined,
  place = '',
): readonly string[] {
  if (now === undefined) return [`${place} is gone`];
  if (Array.isArray(published)) {
    const current = Array.isArray(now) ? now : [];
    return published.filter((item) => !current.includes(item)).map((item) => `${place} lost ${item}`);
  }
  if (isObject(published)) {
    const current = isObject(now) ? now : {};
    return Object.entries(published).flatMap(([key, value]) =>
      brokenPromises(value, Object.hasOwn(current, key) ? current[key] : undefined, `${place}/${key}`),
    );
  }
  return published === now ? [] : [`${place} was ${shown(published)} and is now ${shown(now)}`];
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
