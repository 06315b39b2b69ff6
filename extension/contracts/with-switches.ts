// Owns how an installation's switches change a contract: what is on in its manifest can be off here, never the reverse.
// contract + names that are off -> a contract whose features say so. The same object until the switches change.
import { frozenMap } from '../../manifests/reader/freeze';
import type { FeatureDefinition } from '../../manifests/reader/schema';
import type { Contract } from './contract';

/** They tell how this server makes its answers: nothing can be done without them. */
const ALWAYS_ON: ReadonlySet<string> = new Set(['guide_local_source']);

/** Whether a feature of a contract can be off here and on again. */
export const hasSwitch = (name: string, { enabled }: Readonly<FeatureDefinition>): boolean =>
  enabled && !ALWAYS_ON.has(name);

interface Switched {
  readonly off: string;
  readonly contract: Contract;
}

/** The newest switched form of each contract: its schema and its materials are remembered by identity. */
const newest = new WeakMap<Contract, Switched>();

/** The contract with these features off that have a switch; the contract itself when none of them is on. */
export function withSwitches(contract: Contract, switchedOff: ReadonlySet<string>): Contract {
  const { features } = contract.rules;
  const off = [...features].flatMap(([name, feature]) =>
    hasSwitch(name, feature) && switchedOff.has(name) ? [name] : [],
  );
  if (off.length === 0) return contract;
  const key = off.join(' ');
  const known = newest.get(contract);
  if (known?.off === key) return known.contract;
  const laid = [...features].map(
    ([name, it]) => [name, off.includes(name) ? { ...it, enabled: false } : it] as const,
  );
  const switched: Contract = { ...contract, rules: { ...contract.rules, features: frozenMap(laid) } };
  newest.set(contract, { off: key, contract: switched });
  return switched;
}
