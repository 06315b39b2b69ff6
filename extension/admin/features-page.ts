// The page "Features": switches for the features of the query language. A switch applies from the next request on.
// Rules and messages are those of `qal features`.
import { type AdminAnswer, type AdminPage, PageError, pageAddress } from '../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import { featureStates, turnFeature } from '../features/feature-states';

const FEATURES_ADDRESS = pageAddress('features');

export const featuresPage = (analytics: Analytics): AdminPage => ({
  slug: 'features',
  title: 'Features',
  group: 'Data',
  position: 70,
  capability: 'manage_sites',
  takes: { post: true },
  async handle({ method, form }) {
    if (method === 'GET') return list(analytics);
    const name = form.get('feature') ?? '';
    const turn = form.get('turn');
    if (turn !== 'on' && turn !== 'off') throw new PageError(400, 'The field "turn" must be on or off.');
    const refusal = await turnFeature(analytics, name, turn === 'on');
    if (refusal !== undefined) return list(analytics, refusal);
    return { kind: 'redirect', to: FEATURES_ADDRESS, notice: `${name} is ${turn}.` };
  },
});

async function list(analytics: Analytics, refusal?: string): Promise<AdminAnswer> {
  return {
    kind: 'page',
    status: refusal === undefined ? 200 : 400,
    view: 'extension/admin/views/features',
    data: { features: await featureStates(analytics), refusal },
  };
}
