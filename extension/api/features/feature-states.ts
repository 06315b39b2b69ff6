// The state of each feature in this installation, and which switch may be set: one rule for the command and the page.
// A switch of a name that no contract knows is shown and changes nothing.
import type { FeatureDefinition } from '../../../manifests/reader/schema';
import { nearest } from '../../language/names/nearest';
import type { Analytics } from '../analytics';
import type { InstalledContract } from '../contracts/contract';
import { hasSwitch } from '../contracts/with-switches';
import { listSwitches, setSwitch } from './feature-switches';

interface FeatureState {
  readonly name: string;
  readonly about: string;
  /** Date of the contract that introduced it; empty where none has it yet. */
  readonly since: string;
  readonly state: 'on' | 'off' | 'unknown';
  /** When it was switched off here; null where it was not. */
  readonly offSince: Date | null;
  /** What its switch can be set to; undefined where a switch changes nothing. */
  readonly canTurn: 'on' | 'off' | undefined;
}

type Features = ReadonlyMap<string, Readonly<FeatureDefinition>>;

const UNKNOWN = 'Not a feature of this version: its switch changes nothing.';

/** Every feature as defined by the newest contract that knows it. */
const knownFeatures = (contracts: readonly InstalledContract[]): Features =>
  new Map(contracts.flatMap(({ rules }) => [...rules.features]));

/** All features in the order of the contracts, then switches of unknown names. */
export async function featureStates({
  contracts,
  host,
}: Pick<Analytics, 'contracts' | 'host'>): Promise<readonly FeatureState[]> {
  const features = knownFeatures(contracts);
  const switches = await listSwitches(host.database.read);
  const offSince = new Map(
    switches.flatMap(({ feature, enabled, changedAt }) => (enabled ? [] : [[feature, changedAt] as const])),
  );
  const known = [...features].map(([name, feature]): FeatureState => {
    const { enabled, since = '', about } = feature;
    const isSwitchable = hasSwitch(name, feature);
    // A feature that this version lacks may be switched off in advance; one that is always on cannot be switched off.
    const off = isSwitchable || !enabled ? (offSince.get(name) ?? null) : null;
    const state = enabled && off === null ? 'on' : 'off';
    const canTurn = isSwitchable ? (state === 'on' ? 'off' : 'on') : undefined;
    return { name, about, since, state, offSince: off, canTurn };
  });
  const unknown = switches
    .filter(({ feature }) => !features.has(feature))
    .map(({ feature }): FeatureState => {
      const off = offSince.get(feature) ?? null;
      return {
        name: feature,
        about: UNKNOWN,
        since: '',
        state: 'unknown',
        offSince: off,
        canTurn: undefined,
      };
    });
  return [...known, ...unknown];
}

/** Sets a switch. Returns why it cannot be set, or undefined when it is set. */
export async function turnFeature(
  { contracts, host }: Pick<Analytics, 'contracts' | 'host'>,
  name: string,
  enabled: boolean,
): Promise<string | undefined> {
  const refusal = refusalOf(name, enabled, knownFeatures(contracts));
  if (refusal !== undefined) return refusal;
  await setSwitch(host.database.write, { feature: name, enabled, changedAt: host.clock() });
  return undefined;
}

/** Why a feature cannot be turned on or off. */
function refusalOf(name: string, enabled: boolean, features: Features): string | undefined {
  const feature = features.get(name);
  if (feature === undefined) {
    const near = nearest(name, features.keys());
    const hint = near === undefined ? '"qal features list" shows all.' : `Did you mean ${near}?`;
    return `There is no feature ${name}. ${hint}`;
  }
  if (feature.enabled && !hasSwitch(name, feature)) return `${name} has no switch: it is always on.`;
  return enabled && !feature.enabled
    ? `${name} cannot be switched on: this version does not have it.`
    : undefined;
}
