// The page "Features": what this installation has of the query language, and the switches that turn it off.
// The rules and the sentences are those of `qal features`; a switch holds from the next request on.
import { type AdminAnswer, type AdminPage, PageError, pageAddress } from '../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import { featureStates, turnFeature } from '../features/feature-states';

const FEATURES_ADDRESS = pageAddress('features');

/** The page "Features". */
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
    if (turn !== 'on' && turn !== 'off') throw new PageError(400, 'A feature is turned on or off.');
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
