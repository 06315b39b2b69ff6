// Owns the last phase in which the caller can be wrong: names are bound to the manifest and the site.
// ParsedQuery + Scope -> ResolvedQuery, faults in document order (materials, then views, then result).
import { type QueryError, queryError } from '../../errors/query-error';
import { instantOf } from '../../time/local-time';
import { nearest } from '../names/nearest';
import type { ParsedQuery, ParsedView } from '../types/parsed-query';
import type { QueryContext } from '../types/query-context';
import { probably, rename } from '../types/repair';
import type { ResolvedQuery, ResolvedView, Scope } from '../types/resolved-query';
import { isMaterial, resolveMaterials } from './resolve-materials';
import { resolveView } from './resolve-view';
import type { Source } from './source';
import { type KnownSources, sourcesOf } from './view-sources';

/** Binds a query; throws a QueryError with the place of the first fault. */
export function resolveQuery(query: ParsedQuery, scope: Scope, context: QueryContext): ResolvedQuery {
  const { contract } = context;
  const materials = resolveMaterials(query.materials, scope, context);
  const zone = query.time.tz;
  const views: ResolvedView[] = [];
  const known: KnownSources = {
    materials,
    earlier: views,
    contract,
    isUnlisted: (name) => isMaterial(name, scope, context),
  };
  for (const view of query.views) {
    if (materials.has(view.name)) throw nameTaken(view, query, materials);
    views.push(resolveView(view, sourcesOf(view, known), contract, zone));
  }
  const { trackingId, all, siteIds, states } = scope;
  return {
    scope: { trackingId, all, siteIds, states },
    range: { start: instantOf(query.time.start, zone), end: instantOf(query.time.end, zone), zone },
    views,
    use: usedView(query, views),
    limit: Math.min(query.result.limit, contract.rules.limits.max_inline_rows ?? query.result.limit),
    countOnly: query.result.countOnly,
  };
}

function nameTaken(view: ParsedView, query: ParsedQuery, materials: ReadonlyMap<string, Source>): QueryError {
  const taken = new Set([...materials.keys(), ...query.views.map((other) => other.name)]);
  const { name } = view;
  const free = ['view', 'rows', '2'].map((suffix) => `${name}_${suffix}`).find((other) => !taken.has(other));
  const repair = probably(rename(['make', name], free ?? `${name}_3`));
  return queryError('E_INVALID_VIEW_NAME', `make.${name}`, { name, problem: 'material' }, repair);
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
