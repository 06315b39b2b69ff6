// Owns the last phase in which the caller can be wrong: names are bound to the manifest and the site.
// ParsedQuery + Scope -> ResolvedQuery, faults in document order (materials, then views, then result).
import { materialNames, materialOf } from '../../../manifests/reader/catalog';
import type { Material } from '../../../manifests/reader/manifest';
import { queryError } from '../../errors/query-error';
import { nearest } from '../names/nearest';
import { instantOf } from '../time/local-time';
import type { ParsedQuery, ParsedView } from '../types/parsed-query';
import type { QueryContext } from '../types/query-context';
import type { ResolvedQuery, ResolvedView, Scope } from '../types/resolved-query';
import { resolveView } from './resolve-view';

/** Binds a query; throws a QueryError with the place of the first fault. */
export function resolveQuery(query: ParsedQuery, scope: Scope, context: QueryContext): ResolvedQuery {
  const materials = resolveMaterials(query, scope, context);
  const zone = query.time.tz;
  const views = query.views.map((view, index) => {
    if (materials.has(view.name)) {
      const taken = new Set([...materials.keys(), ...query.views.map((other) => other.name)]);
      const repaired = ['view', 'rows', '2']
        .map((suffix) => `${view.name}_${suffix}`)
        .find((name) => !taken.has(name));
      throw queryError('E_INVALID_VIEW_NAME', `make.${view.name}`, {
        name: view.name,
        problem: 'material',
        repaired: repaired ?? `${view.name}_3`,
      });
    }
    return resolveView(
      view,
      sourceOf(view, query.views.slice(0, index), materials, context),
      context.contract,
      zone,
    );
  });
  return {
    scope,
    range: { start: instantOf(query.time.start, zone), end: instantOf(query.time.end, zone), zone },
    views,
    use: usedView(query, views),
    limit: query.result.limit,
    countOnly: query.result.countOnly,
  };
}

function resolveMaterials(
  query: ParsedQuery,
  scope: Scope,
  { manifest, contract }: QueryContext,
): ReadonlyMap<string, Material> {
  return new Map(
    query.materials.map((name, index) => {
      const at = `materials[${index}].name`;
      const material = materialOf(manifest, contract.rules, name);
      if (material === undefined) {
        const available = materialNames(manifest, contract.rules);
        throw queryError('E_UNKNOWN_MATERIAL', at, {
          problem: 'unknown',
          received: name,
          available,
          nearest: nearest(name, available),
        });
      }
      if (scope.all && !material.supportsAll)
        throw queryError('E_UNKNOWN_MATERIAL', at, { problem: 'not-for-all', received: name });
      return [name, material];
    }),
  );
}

function sourceOf(
  view: ParsedView,
  earlier: readonly ParsedView[],
  materials: ReadonlyMap<string, Material>,
  { manifest, contract }: QueryContext,
): Material {
  const material = materials.get(view.from);
  if (material !== undefined) return material;
  const at = `make.${view.name}.from[0]`;
  const defined = earlier.map(({ name }) => name);
  if (defined.includes(view.from)) throw queryError('E_FEATURE_DISABLED', at, { feature: 'view_chaining' });
  if (materialOf(manifest, contract.rules, view.from) !== undefined) {
    throw queryError('E_UNKNOWN_MATERIAL', at, {
      problem: 'not-listed',
      received: view.from,
      listed: [...materials.keys()],
    });
  }
  throw queryError('E_UNKNOWN_VIEW', at, {
    received: view.from,
    defined,
    nearest: nearest(view.from, [...materials.keys(), ...defined]),
  });
}

function usedView({ result, views: parsed }: ParsedQuery, views: readonly ResolvedView[]): ResolvedView {
  const used = views.find((view) => view.name === result.use);
  if (used !== undefined) return used;
  const defined = parsed.map(({ name }) => name);
  throw queryError('E_UNKNOWN_VIEW', 'result.use', {
    received: result.use,
    defined,
    nearest: nearest(result.use, defined),
  });
}
