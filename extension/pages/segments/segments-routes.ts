// Routes for saved segments.
import { z } from 'zod';
import type { HostResponse, HostUser } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { permittedSites } from '../../data/storage/sites/list-sites';
import { noSuchSite, type PageRoute, refuse, siteOf } from '../page-route';
import { answerResult, changeRoutes } from '../saved/saved-routes';
import type { RequestedFilter } from '../shared-types/dashboard-types';
import { withFields } from '../user-route';
import { MAX_SEGMENTS, segmentChange, segmentFields, segments } from './saved-segments';

const WHAT = 'segment';
const LIST = { path: '/segments', capability: null } as const;
const ONE = { path: '/segments/{id}', capability: null } as const;

export function segmentRoutes(analytics: Analytics): readonly PageRoute[] {
  const { host } = analytics;
  const { read, write } = host.database;
  return [
    {
      ...LIST,
      methods: ['GET'],
      summary: 'The segments of a site that you may use: your own, and those that others share.',
      input: z.object({ tracking_id: z.string().describe('Tracking id of a site.') }),
      async handle({ query: { tracking_id: trackingId = '' } }, user) {
        const site = await siteOf(host, user, trackingId);
        if (site === undefined) return noSuchSite(trackingId);
        return { status: 200, body: { segments: await segments.list(read, user, { site_id: site.siteId }) } };
      },
    },
    {
      ...LIST,
      methods: ['POST'],
      summary: 'Saves filters under a name.',
      input: segmentFields,
      handle: ({ body }, user) =>
        withFields(
          { schema: segmentFields, what: WHAT },
          body,
          async ({ tracking_id: trackingId, ...fields }) => {
            const site = await siteOf(host, user, trackingId);
            if (site === undefined) return noSuchSite(trackingId);
            const columns = { site_id: site.siteId, ...columnsOf(fields) };
            return (
              notShared(user, fields) ??
              answerResult(await segments.add(write, host.accounts, user, columns), REFUSALS)
            );
          },
        ),
    },
    ...changeRoutes(analytics, {
      what: WHAT,
      one: ONE,
      rows: segments,
      async find(user, id) {
        const found = await segments.find<{ readonly siteId: number }>(read, user, id, 'site_id as siteId');
        if (found === undefined) return undefined;
        const { siteId, ...segment } = found;
        const sites = await permittedSites(read, user.sites);
        return sites.some((site) => site.siteId === siteId) ? segment : undefined;
      },
      changeable: 'the filters',
      changes: segmentChange,
      check: notShared,
      columnsOf,
      refusals: REFUSALS,
    }),
  ];
}

const columnsOf = <Fields extends { readonly filters?: readonly RequestedFilter[] | undefined }>({
  filters,
  ...fields
}: Fields) => ({ ...fields, ...(filters !== undefined && { filters: JSON.stringify(filters) }) });

const notShared = (
  { capabilities }: HostUser,
  { shared }: { readonly shared?: boolean | undefined },
): HostResponse | undefined =>
  shared === true && !capabilities.includes('read')
    ? refuse(403, 'Your account can save segments, but not share them.')
    : undefined;

const REFUSALS = {
  'name-taken': [409, 'Its owner already has a segment of this site with this name. Choose another name.'],
  full: [409, `You have ${MAX_SEGMENTS} segments of this site, which is the limit. Delete one first.`],
  'not-yours': [403, 'Only its owner and administrators can change this segment.'],
  changed: [409, 'This segment was changed in the meantime, so nothing was done. Open the list again.'],
} as const;
