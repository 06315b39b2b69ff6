// How an installation's switches change a contract: a feature that is on in its manifest can be off here, never the reverse.
import { frozenMap } from '../../../manifests/reader/freeze';
import type { FeatureDefinition } from '../../../manifests/reader/schema';
import type { InstalledContract } from './contract';

/** Features that say how this server works; nothing works without them. */
const ALWAYS_ON: ReadonlySet<string> = new Set(['guide_local_source']);

/** Whether a feature of a contract can be switched off here and on again. */
export const hasSwitch = (name: string, { enabled }: Readonly<FeatureDefinition>): boolean =>
  enabled && !ALWAYS_ON.has(name);

interface Switched {
  readonly off: string;
  readonly contract: InstalledContract;
}

/** The latest switched form of each contract: others cache its schema and its materials by identity. */
const newest = new WeakMap<InstalledContract, Switched>();

/**
 * The contract with these features off, as far as they have a switch. The same object until the switches change; the
 * contract itself where nothing is off.
 */
export function withSwitches(
  contract: InstalledContract,
  switchedOff: ReadonlySet<string>,
): InstalledContract {
  const { features } = contract.rules;
  const off = [...features].flatMap(([name, feature]) =>
    hasSwitch(name, feature) && switchedOff.has(name) ? [name] : [],
  );
  if (off.length === 0) return contract;
  const key = off.join(' ');
  const known = newest.get(contract);
  if (known?.off === key) return known.contract;
  const switchedFeatures = [...features].map(
    ([name, it]) => [name, off.includes(name) ? { ...it, enabled: false } : it] as const,
  );
  const switched: InstalledContract = {
    ...contract,
    rules: { ...contract.rules, features: frozenMap(switchedFeatures) },
  };
  newest.set(contract, { off: key, contract: switched });
  return switched;
}
