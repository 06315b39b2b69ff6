// Owns `qal features list | set`: what this installation has on, and the switches that turn it off.
// A switch holds from the next request on, in every process on the same database.
import type { CommandDefinition, CommandUsage } from '../../host-shim/extension-api';
import type { FeatureDefinition } from '../../manifests/reader/schema';
import type { Analytics } from '../analytics';
import type { Contract } from '../contracts/contract';
import { type FeatureSwitch, listSwitches, setSwitch } from '../feature-switches';
import { nearest } from '../qal/names/nearest';
import { alignedTable } from './format-result';

export const featuresGroup = { features: 'the features of the query language that are on here' } as const;

export const listFeaturesUsage: CommandUsage = {
  name: 'features list',
  summary: 'shows all features, and which of them are switched off here',
  args: [],
  options: [],
};

export const setFeatureUsage: CommandUsage = {
  name: 'features set',
  summary: 'switches a feature off, or on again',
  args: [
    { name: 'name', about: 'a name of qal features list' },
    { name: 'state', about: 'off refuses it with E_FEATURE_DISABLED', choices: ['on', 'off'] },
  ],
  options: [],
};

type Features = ReadonlyMap<string, Readonly<FeatureDefinition>>;

/** Every feature as the newest contract that knows it has it. */
const knownFeatures = (contracts: readonly Contract[]): Features =>
  new Map(contracts.flatMap(({ rules }) => [...rules.features]));

/** The command that shows what is on. */
export function listFeaturesCommand({ contracts, host }: Analytics): CommandDefinition {
  return {
    ...listFeaturesUsage,
    run: async ({ out }) => {
      const switches = await listSwitches(host.database.read);
      out(`${alignedTable(COLUMNS, featureRows(knownFeatures(contracts), switches))}\n`);
      return 0;
    },
  };
}

const COLUMNS = ['feature', 'state', 'since', 'switched off', 'about'];

function featureRows(features: Features, switches: readonly FeatureSwitch[]): readonly (readonly string[])[] {
  const offSince = new Map(
    switches.flatMap(({ feature, enabled, changedAt }) =>
      enabled ? [] : [[feature, changedAt.toISOString().slice(0, 10)]],
    ),
  );
  const known = [...features].map(([name, { enabled, since = '', about }]) => {
    const state = enabled && !offSince.has(name) ? 'on' : 'off';
    return [name, state, since, offSince.get(name) ?? '', about];
  });
  const unknown = switches
    .filter(({ feature }) => !features.has(feature))
    .map(({ feature }) => [feature, 'unknown', '', offSince.get(feature) ?? '', UNKNOWN]);
  return [...known, ...unknown];
}

const UNKNOWN = 'Not a feature of this version: its switch changes nothing.';

/** The command that sets a switch. */
export function setFeatureCommand({ contracts, host }: Analytics): CommandDefinition {
  return {
    ...setFeatureUsage,
    run: async ({ args: [name = '', state], err }) => {
      const features = knownFeatures(contracts);
      const enabled = state === 'on';
      const refusal = refusalOf(name, enabled, features);
      if (refusal !== undefined) {
        err(`${refusal}\n`);
        return 1;
      }
      await setSwitch(host.database.write, { feature: name, enabled, changedAt: host.clock() });
      err(`${name} is ${enabled ? 'on' : 'off'}.\n`);
      return 0;
    },
  };
}

/** Why a feature cannot be switched so. */
function refusalOf(name: string, enabled: boolean, features: Features): string | undefined {
  const feature = features.get(name);
  if (feature === undefined) {
    const near = nearest(name, features.keys());
    const hint = near === undefined ? '"qal features list" shows all.' : `Did you mean ${near}?`;
    return `There is no feature ${name}. ${hint}`;
  }
  return enabled && !feature.enabled
    ? `${name} cannot be switched on: this version does not have it.`
    : undefined;
}
