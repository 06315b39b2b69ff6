import { eventName, familyOf, goalName, materialNames, materialOf } from '../../../manifests/reader/catalog';
import type { Contract as ContractRules, Manifest, Material } from '../../../manifests/reader/manifest';
import { featureError } from '../errors/feature-error';
import { queryError } from '../errors/query-error';
import { nearMaterial } from '../names/nearest';
import { type Contract, isEnabled } from '../types/contract';
import type { Scope } from '../types/resolved-query';
import type { Binding } from './binding';
import { eventMaterial, eventSource, goalMaterial, goalSource, materialSource, type Source } from './source';

export interface Catalogue {
  readonly manifest: Manifest;
  readonly contract: Contract;
}

/** Binds the names in `materials` to materials, or to the site's goals or events. */
export function resolveMaterials(
  names: readonly string[],
  scope: Scope,
  context: Catalogue,
  binding: Binding,
): Map<string, Source> {
  return new Map(
    names.flatMap((name, index): [string, Source][] => {
      const at = `materials[${index}].name`;
      const source = binding.attempt(() => resolveMaterial(name, at, scope, context, binding));
      return source === undefined ? [] : [[name, source]];
    }),
  );
}

function resolveMaterial(
  name: string,
  at: string,
  scope: Scope,
  context: Catalogue,
  binding: Binding,
): Source {
  const available = () => availableMaterials(scope, context).map((material) => material.name);
  const found = findMaterial(name, scope, context);
  if (found === undefined) {
    const given = { received: name, available: available() };
    // A similar name with a different number is a different goal.
    const about = binding.meant(() =>
      /^goals?(?:$|[_\d])/i.test(name)
        ? goalsOfSite(scope, context)
        : { nearest: nearMaterial(name, given.available) },
    );
    throw queryError('E_UNKNOWN_MATERIAL unknown', at, { ...given, ...about });
  }
  const { material, source } = found;
  if (scope.unavailable.has(name)) {
    const given = { received: name, site: scope.trackingId, available: available() };
    throw queryError('E_UNKNOWN_MATERIAL unavailable', at, given);
  }
  if (scope.all && !material.supportsAll)
    throw queryError('E_UNKNOWN_MATERIAL not-for-all', at, { received: name, available: available() });
  if (!isOn(material, context)) throw featureError(context.contract, material.feature ?? '', at);
  return source();
}

/** The hint for an unknown goal. For a contract without goals, it names the first version that has them. */
function goalsOfSite({ goals }: Scope, { manifest, contract }: Catalogue) {
  const names = goals.map((goal) => `${goalName(goal.number)} (${goal.names.join(', ')})`);
  const hasGoals = (rules: ContractRules) => familyOf(manifest, rules, 'goal') !== undefined;
  if (hasGoals(contract.rules) || names.length === 0) return { hint: 'goals', goals: names } as const;
  const version = [...manifest.contracts.values()].find(hasGoals)?.version ?? 'latest';
  return { hint: 'goals of another version', goals: names, version } as const;
}

/** A material that the query does not list. Null if the query may not read it, undefined if it does not exist. */
export function unlistedMaterial(name: string, scope: Scope, context: Catalogue): Source | null | undefined {
  const found = findMaterial(name, scope, context);
  if (found === undefined) return undefined;
  const isReadable =
    (!scope.all || found.material.supportsAll) &&
    !scope.unavailable.has(name) &&
    isOn(found.material, context);
  return isReadable ? found.source() : null;
}

const isOn = ({ feature }: Material, { contract }: Catalogue): boolean =>
  feature === undefined || isEnabled(contract, feature);

function findMaterial(
  name: string,
  scope: Scope,
  { manifest, contract }: Catalogue,
): { readonly material: Material; source(): Source } | undefined {
  const plain = materialOf(manifest, contract.rules, name);
  if (plain !== undefined && plain.onePer === undefined) {
    return { material: plain, source: () => materialSource(plain) };
  }
  const goal = scope.goals.find(({ number }) => goalName(number) === name)?.number;
  const goals = familyOf(manifest, contract.rules, 'goal');
  if (goal !== undefined && goals !== undefined) {
    return { material: goals, source: () => goalSource(goals, goal) };
  }
  const event = [...scope.events].find(([observed]) => eventName(observed) === name);
  const events = familyOf(manifest, contract.rules, 'event');
  if (event !== undefined && events !== undefined) {
    return { material: events, source: () => eventSource(events, ...event) };
  }
  return undefined;
}

export function availableMaterials(
  scope: Pick<Scope, 'all' | 'goals' | 'events'> & Partial<Pick<Scope, 'unavailable'>>,
  { manifest, contract }: Catalogue,
): readonly Material[] {
  const { rules } = contract;
  return materialNames(manifest, rules).flatMap((name): readonly Material[] => {
    const material = materialOf(manifest, rules, name);
    if (material === undefined || (scope.all && !material.supportsAll)) return [];
    if (scope.unavailable?.has(name)) return [];
    if (!isOn(material, { manifest, contract })) return [];
    if (material.onePer === 'goal') return scope.goals.map(({ number }) => goalMaterial(material, number));
    if (material.onePer === 'event')
      return [...scope.events].map(([event, parameters]) => eventMaterial(material, event, parameters));
    return [material];
  });
}
