// Owns the routes that the pages of sites and goals ask with script: what a condition matches, how many rows a site has.
// For people who may change sites.
import { z } from 'zod';
import type { HostRequest, HostResponse } from '../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import { countGoal } from '../storage/goals/count-goal';
import { permittedSites } from '../storage/sites/list-sites';
import { countRows } from './count-rows';
import { faultsByField, type GoalFields, readGoalFields } from './goal-form';
import { countInWords } from './goal-words';
import type { PageRoute } from './page-route';

const siteInput = { tracking_id: z.string().describe('Tracking id of a site.') };

/** The routes, relative to the namespace of the pages. */
export const countRoutes = (analytics: Analytics): readonly PageRoute[] => [
  {
    path: '/goal-count',
    methods: ['POST'],
    summary: 'What the condition of a goal matches, before it is saved.',
    input: z.object({
      ...siteInput,
      fields: z.record(z.string(), z.string()).describe('The fields of the form of a goal.'),
    }),
    capability: 'manage_sites',
    handle: (request) => goalCount(analytics, request),
  },
  {
    path: '/row-counts',
    methods: ['GET'],
    summary: 'How many rows a site has of each material.',
    input: z.object(siteInput),
    capability: 'manage_sites',
    handle: (request) => rowCount(analytics, request),
  },
];

const countBody = z.strictObject({ tracking_id: z.string(), fields: z.record(z.string(), z.string()) });

/** `message` is a sentence where it could be counted; `faults` are by field of the form. */
interface CountAnswer {
  readonly message: string | null;
  readonly faults: GoalFields;
}

async function goalCount({ host }: Analytics, request: HostRequest): Promise<HostResponse> {
  const body = countBody.safeParse(jsonOf(request.body));
  if (!body.success)
    return refused(400, 'The body must be {"tracking_id": "...", "fields": {"type": "...", ...}}.');
  const { tracking_id, fields } = body.data;
  if (!(await maySee(host, request, tracking_id))) return refused(404, `There is no site ${tracking_id}.`);
  const answer = (more: Partial<CountAnswer>): HostResponse => ({
    status: 200,
    body: { message: null, faults: {}, ...more },
  });
  const asked = readGoalFields(fields);
  if (asked.kind === 'faults') return answer({ faults: asked.faults });
  const { signal } = request;
  const count = await countGoal(host.database.read, tracking_id, asked.goal, { signal });
  switch (count.kind) {
    case 'no-site':
      return refused(404, `There is no site ${tracking_id}.`);
    case 'faults':
      return answer({ faults: faultsByField(fields.type ?? '', count.faults) });
    case 'too-long':
    case 'counted':
      return answer({ message: countInWords(count) ?? null });
  }
}

async function rowCount(analytics: Analytics, request: HostRequest): Promise<HostResponse> {
  const trackingId = request.query.tracking_id ?? '';
  const counted = (await maySee(analytics.host, request, trackingId))
    ? await countRows(analytics, trackingId, request.signal)
    : undefined;
  return counted === undefined
    ? refused(404, `There is no site ${trackingId}.`)
    : { status: 200, body: counted };
}

const refused = (status: number, message: string): HostResponse => ({
  status,
  body: { code: status === 404 ? 'not_found' : 'invalid_request', message, data: { status } },
});

/** Looked up among the sites that there are: an address may hold what no text of the database can. */
const maySee = async (
  { database }: Analytics['host'],
  { user }: HostRequest,
  trackingId: string,
): Promise<boolean> =>
  (await permittedSites(database.read, user?.sites ?? [])).some((site) => site.trackingId === trackingId);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
