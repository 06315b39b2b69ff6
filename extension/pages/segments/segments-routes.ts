// Routes for saved segments.
import { z } from 'zod';
import type { HostRequest, HostResponse, HostUser } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { permittedSites, type Site } from '../../data/storage/sites/list-sites';
import { maySeeSite, noSuchSite, type PageRoute, refuse } from '../page-route';
import { revisionSeen } from '../saved-queries';
import type { Segment } from '../shared-types/segment-types';
import { type ForUser, forUser, storedId, withFields } from '../user-route';
import {
  addSegment,
  changeSegment,
  deleteSegment,
  findSegment,
  listSegments,
  MOST_SEGMENTS,
  type SegmentResult,
  segmentChange,
  segmentFields,
} from './saved-segments';

const WHAT = 'segment';
const id = z.int().describe('Number of the segment.');
const LIST = { path: '/segments', capability: null } as const;
const ONE = { path: '/segments/{id}', capability: null } as const;

export function segmentRoutes(analytics: Analytics): readonly PageRoute[] {
  const { read, write } = analytics.host.database;
  const siteOf = async ({ user }: HostRequest, trackingId: string): Promise<Site | undefined> =>
    (await permittedSites(read, user?.sites ?? [])).find((site) => site.trackingId === trackingId);
  return [
    {
      ...LIST,
      methods: ['GET'],
      summary: 'The segments of a site that you may use: your own, and those that others share.',
      input: z.object({ tracking_id: z.string().describe('Tracking id of a site.') }),
      handle: forUser(async (user, request) => {
        const { tracking_id: trackingId = '' } = request.query;
        const site = await siteOf(request, trackingId);
        if (site === undefined) return noSuchSite(trackingId);
        return { status: 200, body: { segments: await listSegments(read, site.siteId, user) } };
      }),
    },
    {
      ...LIST,
      methods: ['POST'],
      summary: 'Saves filters under a name.',
      input: segmentFields,
      handle: forUser((user, request) =>
        withFields(
          { schema: segmentFields, what: WHAT },
          request.body,
          async ({ tracking_id: trackingId, ...fields }) => {
            const site = await siteOf(request, trackingId);
            if (site === undefined) return noSuchSite(trackingId);
            if (fields.shared && !mayShare(user)) return NOT_SHARED;
            return answerResult(await addSegment(write, user, site.siteId, fields));
          },
        ),
      ),
    },
    {
      ...ONE,
      methods: ['POST'],
      summary: 'Changes the name, the filters or the sharing of a segment.',
      input: segmentChange.extend({ id }),
      handle: onSegment(analytics, (segment, user, { body }) =>
        withFields({ schema: segmentChange, what: WHAT }, body, async (fields) =>
          fields.shared && !mayShare(user)
            ? NOT_SHARED
            : answerResult(await changeSegment(write, user, segment, fields)),
        ),
      ),
    },
    {
      ...ONE,
      methods: ['DELETE'],
      summary: 'Deletes a segment.',
      input: z.object({ id, revision: revisionSeen }),
      handle: onSegment(analytics, async (segment, _user, { query }) => {
        const seen = revisionSeen.safeParse(Number(query.revision));
        if (!seen.success)
          return refuse(400, 'The parameter "revision" must be that of the segment as you saw it.');
        return answerResult(await deleteSegment(write, segment, seen.data));
      }),
    },
  ];
}

const mayShare = ({ capabilities }: HostUser): boolean => capabilities.includes('read');
const NOT_SHARED = refuse(403, 'Your account can keep segments for itself, but not share them.');

const onSegment = (
  { host }: Pick<Analytics, 'host'>,
  handle: (segment: Segment, ...rest: Parameters<ForUser>) => Promise<HostResponse>,
): PageRoute['handle'] =>
  forUser(async (user, request) => {
    const id = storedId(request);
    const found = id === undefined ? undefined : await findSegment(host.database.read, id, user);
    if (found !== undefined && (await maySeeSite(host, request, found.trackingId)))
      return handle(found.segment, user, request);
    return refuse(
      404,
      `There is no segment ${request.params.id}: it was deleted, or its owner does not share it.`,
    );
  });

const REFUSALS = {
  'name-taken': [409, 'Its owner already has a segment of this site with this name. Choose another name.'],
  full: [409, `You have ${MOST_SEGMENTS} segments of this site, which is the limit. Delete one first.`],
  'not-yours': [403, 'Only its owner and administrators can change this segment.'],
  changed: [409, 'This segment was changed in the meantime, so nothing was done. Open the list again.'],
} as const satisfies Readonly<Record<Exclude<SegmentResult['kind'], 'saved'>, readonly [403 | 409, string]>>;

function answerResult(result: SegmentResult): HostResponse {
  if (result.kind === 'saved') return { status: 200, body: result.segment };
  const [status, message] = REFUSALS[result.kind];
  return refuse(status, message);
}
