// Owns `qal features list | set`: what this installation has on, and the switches that turn it off.
// A switch holds from the next request on, in every process on the same database.
import type { CommandDefinition, CommandUsage } from '../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import { featureStates, turnFeature } from '../features/feature-states';
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
    {
      name: 'state',
      about: 'off refuses it with E_FEATURE_DISABLED, or leaves it out of the answer',
      choices: ['on', 'off'],
    },
  ],
  options: [],
};

/** The command that shows what is on. */
export function listFeaturesCommand(analytics: Analytics): CommandDefinition {
  return {
    ...listFeaturesUsage,
    run: async ({ out }) => {
      const rows = (await featureStates(analytics)).map(({ name, state, since, offSince, about }) => [
        name,
        state,
        since,
        offSince?.toISOString().slice(0, 10) ?? '',
        about,
      ]);
      out(`${alignedTable(COLUMNS, rows)}\n`);
      return 0;
    },
  };
}

const COLUMNS = ['feature', 'state', 'since', 'switched off', 'about'];

/** The command that sets a switch. */
export function setFeatureCommand(analytics: Analytics): CommandDefinition {
  return {
    ...setFeatureUsage,
    run: async ({ args: [name = '', state], err }) => {
      const refusal = await turnFeature(analytics, name, state === 'on');
      err(`${refusal ?? `${name} is ${state}.`}\n`);
      return refusal === undefined ? 0 : 1;
    },
  };
}
