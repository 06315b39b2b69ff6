// qal features list | set. A switch takes effect on the next request, in every process on the same database.
import { JobFailed, utcText } from '../../host-shim/extension-api';
import { featureStates, turnFeature } from '../api/features/feature-states';
import type { AnalyticsCommand } from './analytics-command';
import { alignedTable } from './format-result';

const COLUMNS = ['feature', 'state', 'since', 'switched off', 'about'];

export const listFeaturesCommand: AnalyticsCommand = {
  name: 'features list',
  summary: 'show all features, and which of them are switched off',
  async run(analytics, { out }) {
    const rows = (await featureStates(analytics)).map(({ name, state, since, offSince, about }) => [
      name,
      state,
      since,
      offSince === null ? '' : utcText(offSince),
      about,
    ]);
    out(`${alignedTable(COLUMNS, rows)}\n`);
  },
};

export const setFeatureCommand: AnalyticsCommand = {
  name: 'features set',
  summary: 'switch a feature off, or on again',
  args: [
    { name: 'name', about: 'a name from qal features list' },
    {
      name: 'state',
      about: 'off: queries that use it fail with E_FEATURE_DISABLED, or responses omit it',
      choices: ['on', 'off'],
    },
  ],
  async run(analytics, { args: [name = '', state], err }) {
    const refusal = await turnFeature(analytics, name, state === 'on');
    if (refusal !== undefined) throw new JobFailed(refusal);
    err(`${name} is ${state}.\n`);
  },
};
