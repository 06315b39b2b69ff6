// Looks up materials and columns under a contract, whether or not their features are enabled.
import { frozenMap } from './freeze';
import type { Contract, Manifest, Material } from './manifest';

const restricted = new WeakMap<Contract, Map<string, Material>>();

/** The contract's materials, in manifest order. A family is a single entry. */
export function materialNames(manifest: Manifest, contract: Contract): readonly string[] {
  const named = [...manifest.materials.values()].filter((material) => !material.hidden);
  return named.map(({ name }) => name).filter((name) => knowsMaterial(contract, name));
}

/** The material with its columns in the contract; undefined if the contract lacks it. Always returns the same object. */
export function materialOf(manifest: Manifest, contract: Contract, name: string): Material | undefined {
  if (!knowsMaterial(contract, name)) return undefined;
  const material = manifest.materials.get(contract.standsFor.get(name) ?? name);
  if (material === undefined || (material.hidden && !contract.standsFor.has(name))) return undefined;

  const known = restricted.get(contract) ?? new Map<string, Material>();
  restricted.set(contract, known);
  const cached = known.get(name);
  if (cached !== undefined) return cached;

  const columns = [...material.columns].filter(([column]) => knowsColumn(contract, name, column));
  const result = Object.freeze({ ...material, name, columns: frozenMap(columns) });
  known.set(name, result);
  return result;
}

export const goalName = (goal: number): string => `goal_${goal}`;
export const eventName = (event: string): string => `events.${event}`;

/** An event can be queried as a material only if its name matches this pattern. */
export const EVENT_NAME = /^[A-Za-z0-9_]+$/;

/** The family of goals or events, if the contract has it. */
export function familyOf(manifest: Manifest, contract: Contract, per: 'goal' | 'event') {
  const family = [...manifest.materials.values()].find(({ onePer }) => onePer === per);
  return family && materialOf(manifest, contract, family.name);
}

export function headContract(manifest: Manifest): Contract {
  const head = [...manifest.contracts.values()].at(-1);
  if (head === undefined) throw new Error('The manifest has no contract.');
  return head;
}

/** The newest `since` among enabled features, materials and columns. Clients reread the guide when it changes. */
export function apiUpdate(
  manifest: Manifest,
  contract: Contract,
  isOn: (feature: string) => boolean,
): string {
  const dates = [contract.version];
  for (const [name, feature] of contract.features) {
    if (feature.since !== undefined && isOn(name)) dates.push(feature.since);
  }
  for (const name of materialNames(manifest, contract)) {
    const material = materialOf(manifest, contract, name);
    if (material === undefined || (material.feature !== undefined && !isOn(material.feature))) continue;
    dates.push(material.since);
    for (const column of material.columns.values()) {
      if (column.since !== undefined && (column.feature === undefined || isOn(column.feature)))
        dates.push(column.since);
    }
  }
  return dates.reduce((newest, date) => (date > newest ? date : newest));
}

const knowsMaterial = ({ knows }: Contract, name: string): boolean => knows === 'all' || knows.has(name);

const knowsColumn = (contract: Contract, material: string, column: string): boolean =>
  contract.knows === 'all' || (contract.knows.get(material)?.includes(column) ?? false);
