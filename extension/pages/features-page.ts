// The "Features" page: switches for features of the query language. It uses the same rules and messages as `qal features`.
import { type AdminAnswer, type AdminPage, ask, PageError, pageAddress } from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import { featureStates, turnFeature } from '../api/features/feature-states';

const FEATURES_ADDRESS = pageAddress('features');

export const featuresPage = (analytics: Analytics): AdminPage => ({
  slug: 'features',
  title: 'Features',
  howTo: 'feature-switches',
  group: 'Installation',
  position: 60,
  capability: 'manage_sites',
  takes: { words: 2, post: true },
  async handle({ method, form, words: [name, action] }) {
    if (name !== undefined && action === 'off') {
      if (method === 'GET') return askToTurnOff(analytics, name);
      return turn(analytics, name, 'off');
    }
    if (name !== undefined) throw new PageError(404, 'There is no such page.');
    if (method === 'GET') return list(analytics);
    if (form.get('turn') !== 'on') throw new PageError(400, 'The field "turn" must be on.');
    return turn(analytics, form.get('feature') ?? '', 'on');
  },
});

async function turn(analytics: Analytics, name: string, state: 'on' | 'off'): Promise<AdminAnswer> {
  const refusal = await turnFeature(analytics, name, state === 'on');
  if (refusal !== undefined) return list(analytics, refusal);
  return { kind: 'redirect', to: FEATURES_ADDRESS, notice: `${name} is ${state}.` };
}

/** Only switching off asks for confirmation. */
async function askToTurnOff(analytics: Analytics, name: string): Promise<AdminAnswer> {
  const feature = (await featureStates(analytics)).find((one) => one.name === name);
  if (feature?.canTurn !== 'off') throw new PageError(404, `There is no feature ${name} to switch off.`);
  return ask({
    title: `Switch off ${name}?`,
    about: `${feature.about} From the next request on, queries that use it are rejected, or the response omits it.`,
    button: `Switch off ${name}`,
    cancel: FEATURES_ADDRESS,
  });
}

async function list(analytics: Analytics, refusal?: string): Promise<AdminAnswer> {
  return {
    kind: 'page',
    status: refusal === undefined ? 200 : 400,
    view: 'extension/pages/views/features',
    data: { features: await featureStates(analytics), refusal },
  };
}
