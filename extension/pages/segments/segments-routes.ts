// Routes for saved segments.
import { z } from 'zod';
import type { HostRequest, HostResponse, HostUser } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { faultsOf, siteFault } from '../../data/storage/field-faults';
import { permittedSites, type Site } from '../../data/storage/sites/list-sites';
import { maySeeSite, noSuchSite, type PageRoute, parseJson, refuse } from '../page-route';
import { revisionSeen } from '../saved-queries';
import type { Segment } from '../shared-types/segment-types';
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
        withFields(segmentFields, request.body, async ({ tracking_id: trackingId, ...fields }) => {
          const site = await siteOf(request, trackingId);
          if (site === undefined) return noSuchSite(trackingId);
          return answerResult(await addSegment(write, user, site.siteId, fields));
        }),
      ),
    },
    {
      ...ONE,
      methods: ['POST'],
      summary: 'Changes the name, the filters or the sharing of a segment.',
      input: segmentChange.extend({ id }),
      handle: onSegment(analytics, (segment, user, { body }) =>
        withFields(segmentChange, body, async (fields) =>
          answerResult(await changeSegment(write, user, segment, fields)),
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

type ForUser = (user: HostUser, request: HostRequest) => Promise<HostResponse>;

/** The permission of the route requires a user. */
const forUser =
  (handle: ForUser): PageRoute['handle'] =>
  (request) => {
    if (request.user === null) throw new Error('A route of the pages was called without a user.');
    return handle(request.user, request);
  };

/** Larger numbers exceed the column's type. */
const STORED_ID = /^\d{1,9}$/;

const onSegment = (
  { host }: Pick<Analytics, 'host'>,
  handle: (segment: Segment, ...rest: Parameters<ForUser>) => Promise<HostResponse>,
): PageRoute['handle'] =>
  forUser(async (user, request) => {
    const { id: asked = '' } = request.params;
    const found = STORED_ID.test(asked)
      ? await findSegment(host.database.read, Number(asked), user)
      : undefined;
    if (found !== undefined && (await maySeeSite(host, request, found.trackingId)))
      return handle(found.segment, user, request);
    return refuse(404, `There is no segment ${asked}: it was deleted, or its owner does not share it.`);
  });

async function withFields<Fields>(
  schema: z.ZodType<Fields>,
  body: string,
  save: (fields: Fields) => Promise<HostResponse>,
): Promise<HostResponse> {
  const read = schema.safeParse(parseJson(body), {
    error: (issue) => (issue.path?.length ? siteFault(issue) : undefined),
  });
  if (read.success) return save(read.data);
  const faults = faultsOf(read.error).map(({ path, message }) =>
    path === '' ? `The body is not a segment: ${message}.` : `The ${path} ${message}.`,
  );
  return refuse(400, faults.join(' '));
}

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
