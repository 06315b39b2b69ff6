// The state of each feature in this installation, for the command and the page.
import type { FeatureDefinition } from '../../../manifests/reader/schema';
import { nearest } from '../../language/names/nearest';
import type { Analytics } from '../analytics';
import type { InstalledContract } from '../contracts/contract';
import { hasSwitch } from '../contracts/with-switches';
import { listSwitches, setSwitch } from './feature-switches';

interface FeatureState {
  readonly name: string;
  readonly about: string;
  /** The date of the contract that introduced it; empty if no contract has it yet. */
  readonly since: string;
  readonly state: 'on' | 'off' | 'unknown';
  readonly offSince: Date | null;
  readonly canTurn: 'on' | 'off' | undefined;
}

type Installed = Pick<Analytics, 'contracts' | 'host'>;
type Features = ReadonlyMap<string, Readonly<FeatureDefinition>>;

/** Every feature as defined by the newest contract that has it. */
const knownFeatures = (contracts: readonly InstalledContract[]): Features =>
  new Map(contracts.flatMap(({ rules }) => [...rules.features]));

/** All features in the order of the contracts, then switches whose feature is in no contract. */
export async function featureStates({ contracts, host }: Installed): Promise<readonly FeatureState[]> {
  const features = knownFeatures(contracts);
  const switches = await listSwitches(host.database.read);
  const offSince = new Map(
    switches.flatMap(({ feature, enabled, changedAt }) => (enabled ? [] : [[feature, changedAt] as const])),
  );
  const known = [...features].map(([name, feature]): FeatureState => {
    const { enabled, since = '', about } = feature;
    const isSwitchable = hasSwitch(name, feature);
    // A feature that this version does not have yet may be switched off in advance.
    const off = isSwitchable || !enabled ? (offSince.get(name) ?? null) : null;
    const state = enabled && off === null ? 'on' : 'off';
    const canTurn = isSwitchable ? (state === 'on' ? 'off' : 'on') : undefined;
    return { name, about, since, state, offSince: off, canTurn };
  });
  const unknown = switches
    .filter(({ feature }) => !features.has(feature))
    .map(
      ({ feature }): FeatureState => ({
        name: feature,
        about: 'Not a feature of this version: its switch has no effect.',
        since: '',
        state: 'unknown',
        offSince: offSince.get(feature) ?? null,
        canTurn: undefined,
      }),
    );
  return [...known, ...unknown];
}

/** Sets a switch. Returns the reason if it cannot be set. */
export async function turnFeature(
  { contracts, host }: Installed,
  name: string,
  enabled: boolean,
): Promise<string | undefined> {
  const refusal = refusalOf(name, enabled, knownFeatures(contracts));
  if (refusal === undefined)
    await setSwitch(host.database.write, { feature: name, enabled, changedAt: host.clock() });
  return refusal;
}

function refusalOf(name: string, enabled: boolean, features: Features): string | undefined {
  const feature = features.get(name);
  if (feature === undefined) {
    const near = nearest(name, features.keys());
    const hint = near === undefined ? '"qal features list" lists all features.' : `Did you mean ${near}?`;
    return `There is no feature ${name}. ${hint}`;
  }
  if (feature.enabled && !hasSwitch(name, feature)) return `${name} has no switch: it is always on.`;
  return enabled && !feature.enabled
    ? `${name} cannot be switched on: this version does not have it.`
    : undefined;
}
