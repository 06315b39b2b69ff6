// Binds names to the manifest and the site. This is the last phase that can find an error in a query.
import { materialOf } from '../../../manifests/reader/catalog';
import { hintOf } from '../errors/hint-failure';
import { MAX_FAULTS, moreFaults, QueryError, queryError } from '../errors/query-error';
import { nearest } from '../names/nearest';
import type { ParsedQuery, ParsedView } from '../types/parsed-query';
import { type HintFailures, probably, rename } from '../types/repair';
import type { ResolvedQuery, ResolvedView, Scope } from '../types/resolved-query';
import type { Steps } from '../types/steps';
import type { Binding } from './binding';
import { checkDataVersion } from './data-version';
import { type Catalogue, resolveMaterials, unlistedMaterial } from './resolve-materials';
import { rangeIn, resolveView } from './resolve-view';
import type { Source } from './source';
import { type KnownSources, sourcesOf } from './view-sources';

interface ResolveContext extends Catalogue, HintFailures {}

/** Binds a query and returns the repaired errors in document order. Throws the first error unless all have unambiguous repairs. */
export function* resolveQuery(
  query: ParsedQuery,
  scope: Scope,
  context: ResolveContext,
): Steps<{ readonly resolved: ResolvedQuery; readonly faults: readonly QueryError[] }> {
  const faults: QueryError[] = [];
  const note = (fault: QueryError): void => {
    if (fault.repair?.certain !== true) throw fault;
    faults.push(fault);
  };
  const binding = {
    ...bindingOf(query, scope, context),
    note,
    attempt: <Part>(bind: () => Part) => bind(),
    leftOut: () => 0,
  };
  try {
    return { resolved: yield* bindQuery(query, scope, context, binding), faults };
  } catch (error) {
    throw faults[0] !== undefined && error instanceof QueryError ? faults[0] : error;
  }
}

/** Finds errors in names and types, in document order, up to a limit. Skips parts that depend on faulty ones or on `unknown`. */
export function* findNameFaults(
  query: ParsedQuery,
  scope: Scope,
  context: ResolveContext,
  unknown: ReadonlySet<string>,
): Steps<readonly QueryError[]> {
  const faults = new Map<string, QueryError>();
  let leftOut = 0;
  const note = (fault: QueryError): void => {
    // Every clause that names an unknown source reports the same error.
    faults.set(`${fault.code} ${fault.at}`, fault);
    if (fault.repair?.certain !== true) throw fault;
  };
  const binding: Binding = {
    ...bindingOf(query, scope, context),
    note,
    attempt(bind) {
      try {
        if (faults.size <= MAX_FAULTS) return bind();
      } catch (error) {
        if (!(error instanceof QueryError)) throw error;
        faults.set(`${error.code} ${error.at}`, error);
      }
      leftOut += 1;
      return undefined;
    },
    leftOut: () => leftOut,
  };
  const { views, unbound } = yield* bindViews(query, scope, context, binding, unknown);
  if (!unbound.has(query.result.use)) binding.attempt(() => usedView(query, views, binding));
  binding.attempt(() => checkDataVersion(query.result.dataVersion, scope));
  const all = [...faults.values()];
  return all.length > MAX_FAULTS ? [...all.slice(0, MAX_FAULTS), moreFaults()] : all;
}

/** `unbound` lists the materials and views that were left out, and the views that read from them. */
function* bindViews(
  query: ParsedQuery,
  scope: Scope,
  context: ResolveContext,
  binding: Binding,
  unknown: ReadonlySet<string> = new Set(),
) {
  const materials = resolveMaterials(query.materials, scope, context, binding);
  yield;
  const unbound = new Set([...unknown, ...query.materials.filter((name) => !materials.has(name))]);
  const views: ResolvedView[] = [];
  const known: KnownSources = {
    materials,
    earlier: views,
    unlisted: (name) => unlistedMaterial(name, scope, context),
  };
  for (const view of query.views) {
    const before = binding.leftOut();
    const readsUnbound = unbound.has(view.from) || (view.join !== null && unbound.has(view.join.with));
    const bound = readsUnbound
      ? undefined
      : binding.attempt(() => {
          if (materials.has(view.name)) throw nameTaken(view, query, materials);
          return resolveView(view, sourcesOf(view, known, binding), binding);
        });
    if (bound === undefined || binding.leftOut() > before) unbound.add(view.name);
    else views.push(bound);
    yield;
  }
  return { views, unbound };
}

const bindingOf = ({ time }: ParsedQuery, scope: Scope, context: ResolveContext) => ({
  scope,
  contract: context.contract,
  viewColumns: materialOf(context.manifest, context.contract.rules, 'allpv')?.columns ?? new Map(),
  zone: time.tz,
  range: rangeIn(time, time.tz),
  meant: <Meant>(look: () => Meant) => hintOf(look, context),
});

function* bindQuery(
  query: ParsedQuery,
  scope: Scope,
  context: ResolveContext,
  binding: Binding,
): Steps<ResolvedQuery> {
  const { contract, range } = binding;
  const { views } = yield* bindViews(query, scope, context, binding);
  const { trackingId, all, siteIds, states, earlier, channels } = scope;
  const use = usedView(query, views, binding);
  checkDataVersion(query.result.dataVersion, scope);
  return {
    scope: { trackingId, all, siteIds, states, ...(earlier && { earlier }), ...(channels && { channels }) },
    isVersioned: !views.some((view) => readsRecords(view, context.manifest)),
    range,
    views,
    use,
    limit: Math.min(query.result.limit, contract.rules.limits.max_inline_rows ?? query.result.limit),
    offset: query.result.offset ?? 0,
    countOnly: query.result.countOnly,
  };
}

const readsRecords = ({ source, join }: ResolvedView, { materials }: Catalogue['manifest']): boolean =>
  [source, join?.source].some(
    (read) => read?.kind === 'material' && materials.get(read.rows)?.administratorsOnly === true,
  );

function nameTaken(view: ParsedView, query: ParsedQuery, materials: ReadonlyMap<string, Source>): QueryError {
  const taken = new Set([...materials.keys(), ...query.views.map((other) => other.name)]);
  const { name } = view;
  const free = ['view', 'rows', '2'].map((suffix) => `${name}_${suffix}`).find((other) => !taken.has(other));
  const repair = probably(rename(['make', name], free ?? `${name}_3`));
  return queryError('E_INVALID_VIEW_NAME material', `make.${name}`, { key: name }, repair);
}

function usedView(
  { result, views: parsed }: ParsedQuery,
  views: readonly ResolvedView[],
  binding: Binding,
): ResolvedView {
  const used = views.find((view) => view.name === result.use);
  if (used !== undefined) return used;
  const defined = parsed.map(({ name }) => name);
  throw queryError('E_UNKNOWN_VIEW', 'result.use', {
    received: result.use,
    defined,
    known: defined,
    nearest: binding.meant(() => nearest(result.use, defined)),
  });
}
