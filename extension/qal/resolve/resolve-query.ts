// Owns the last phase in which the caller can be wrong: names are bound to the manifest and the site.
// ParsedQuery + Scope -> ResolvedQuery, faults in document order (materials, then views, then result).
import { materialNames, materialOf } from '../../../manifests/reader/catalog';
import type { Material } from '../../../manifests/reader/manifest';
import { isEnabled } from '../../contracts/contract';
import { type QueryError, queryError } from '../../errors/query-error';
import { nearest } from '../names/nearest';
import { instantOf } from '../time/local-time';
import type { ParsedQuery, ParsedView } from '../types/parsed-query';
import type { QueryContext } from '../types/query-context';
import type { ResolvedQuery, ResolvedView, Scope } from '../types/resolved-query';
import { resolveView } from './resolve-view';
import { materialSource, type Source, viewSource } from './source';

/** Binds a query; throws a QueryError with the place of the first fault. */
export function resolveQuery(query: ParsedQuery, scope: Scope, context: QueryContext): ResolvedQuery {
  const materials = resolveMaterials(query, scope, context);
  const zone = query.time.tz;
  const views: ResolvedView[] = [];
  for (const view of query.views) {
    if (materials.has(view.name)) throw nameTaken(view, query, materials);
    const source = sourceOf(view, views, materials, context);
    const material = source.prefixes.at(-1) ?? source.name;
    views.push(resolveView(view, source, material, context.contract, zone));
  }
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

function nameTaken(
  view: ParsedView,
  query: ParsedQuery,
  materials: ReadonlyMap<string, Material>,
): QueryError {
  const taken = new Set([...materials.keys(), ...query.views.map((other) => other.name)]);
  const repaired = ['view', 'rows', '2']
    .map((suffix) => `${view.name}_${suffix}`)
    .find((name) => !taken.has(name));
  return queryError('E_INVALID_VIEW_NAME', `make.${view.name}`, {
    name: view.name,
    problem: 'material',
    repaired: repaired ?? `${view.name}_3`,
  });
}

/** A listed material, or a view defined before this one. */
function sourceOf(
  view: ParsedView,
  earlier: readonly ResolvedView[],
  materials: ReadonlyMap<string, Material>,
  { manifest, contract }: QueryContext,
): Source {
  const material = materials.get(view.from);
  if (material !== undefined) return materialSource(material);
  const at = `make.${view.name}.from[0]`;
  const chained = earlier.find(({ name }) => name === view.from);
  if (chained !== undefined) {
    if (isEnabled(contract, 'view_chaining')) return viewSource(chained);
    throw queryError('E_FEATURE_DISABLED', at, { feature: 'view_chaining' });
  }
  if (materialOf(manifest, contract.rules, view.from) !== undefined) {
    throw queryError('E_UNKNOWN_MATERIAL', at, {
      problem: 'not-listed',
      received: view.from,
      listed: [...materials.keys()],
    });
  }
  const defined = earlier.map(({ name }) => name);
  throw queryError('E_UNKNOWN_VIEW', at, {
    received: view.from,
    defined,
    materials: [...materials.keys()],
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
    materials: [],
    nearest: nearest(result.use, defined),
  });
}
