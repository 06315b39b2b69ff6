// Sets of filters that users saved under a name, for one site. Only the owner sees a personal one; a shared one is seen by everyone
// who sees the site. The owner and users who manage accounts can change it.
import type { Knex } from 'knex';
import { DatabaseError } from 'pg';
import { z } from 'zod';
import type { HostUser, ReadPool } from '../../../host-shim/extension-api';
import { analytics, rawSql } from '../../data/storage/build-query';
import { strict } from '../../data/storage/field-faults';
import { nameText } from '../../data/storage/plain-text';
import { filtersSchema } from '../dashboard/asked-dashboard';
import { revisionSeen } from '../saved-queries';
import type { Segment } from '../shared-types/segment-types';

export const MOST_SEGMENTS = 100;
const LONGEST_NAME = 100;
/** An address must be able to contain them: servers and proxies accept 8 to 16 kB. */
const LONGEST_ADDRESS = 6_000;

const filters = filtersSchema
  .refine((list) => list.length > 0, 'must not be empty')
  .refine(
    (list) => encodeURIComponent(JSON.stringify(list)).length <= LONGEST_ADDRESS,
    `must be at most ${LONGEST_ADDRESS} characters long in an address: use fewer values`,
  );

const fields = {
  name: z
    .string()
    .trim()
    .pipe(nameText(LONGEST_NAME))
    .describe('Unique among those of its owner on the site.'),
  filters: filters.describe('The filters, as the dashboard sends them.'),
  shared: z.boolean().describe('Whether everyone who sees the site may use it.'),
};
export const segmentFields = strict({
  tracking_id: z.string().describe('Tracking id of a site.'),
  ...fields,
});
export const segmentChange = strict(fields).partial().extend({ revision: revisionSeen });

export type SegmentResult =
  | { readonly kind: 'saved'; readonly segment: Segment }
  | { readonly kind: 'name-taken' | 'full' | 'not-yours' | 'changed' };

type Row = Omit<Segment, 'isOwn' | 'mayChange'> & { readonly userId: number };

const COLUMNS = [
  'segment_id as id',
  'user_id as userId',
  'login as owner',
  'name',
  'filters',
  'shared',
  'revision',
];

function segmentOf({ userId, ...row }: Row, user: HostUser): Segment {
  const isOwn = userId === user.id;
  return { ...row, isOwn, mayChange: isOwn || user.capabilities.includes('edit_users') };
}

const visibleTo = (user: HostUser) =>
  analytics('segment').where((either) => either.where('user_id', user.id).orWhere('shared', true));

/** Own ones first, then by name. */
export async function listSegments(
  read: ReadPool,
  siteId: number,
  user: HostUser,
): Promise<readonly Segment[]> {
  const rows = await read.select<Row>(
    visibleTo(user)
      .where('site_id', siteId)
      .select<Row[]>(...COLUMNS)
      .orderByRaw('user_id = ? DESC, lower(name), segment_id', [user.id]),
  );
  return rows.map((row) => segmentOf(row, user));
}

const TRACKING_ID = rawSql(
  '(SELECT s.tracking_id FROM analytics.site s WHERE s.site_id = segment.site_id) AS "trackingId"',
);

/** With the tracking id of its site. */
export async function findSegment(
  read: ReadPool,
  id: number,
  user: HostUser,
): Promise<{ readonly segment: Segment; readonly trackingId: string } | undefined> {
  const [row] = await read.select<Row & { trackingId: string }>(
    visibleTo(user)
      .where('segment_id', id)
      .select(...COLUMNS, TRACKING_ID),
  );
  if (row === undefined) return undefined;
  const { trackingId, ...stored } = row;
  return { segment: segmentOf(stored, user), trackingId };
}

/** Locked per user, so that parallel requests cannot exceed the limit. */
const LIMIT_LOCK = 7_216_092;

export function addSegment(
  write: Knex,
  user: HostUser,
  siteId: number,
  given: Omit<z.output<typeof segmentFields>, 'tracking_id'>,
): Promise<SegmentResult> {
  return write.transaction(async (transaction) => {
    await transaction.raw('SELECT pg_advisory_xact_lock(?, ?)', [LIMIT_LOCK, user.id]);
    const own = transaction('analytics.segment').where({ user_id: user.id, site_id: siteId });
    if ((await own.select('segment_id')).length >= MOST_SEGMENTS) return { kind: 'full' };
    const [row]: Row[] = await transaction('analytics.segment')
      .insert({
        site_id: siteId,
        user_id: user.id,
        login: user.login,
        name: given.name,
        shared: given.shared,
        filters: JSON.stringify(given.filters),
      })
      .onConflict()
      .ignore()
      .returning(COLUMNS);
    return row === undefined ? { kind: 'name-taken' } : { kind: 'saved', segment: segmentOf(row, user) };
  });
}

const UNIQUE_VIOLATION = '23505';

/** Changes the given fields, if `revision` is still current. */
export async function changeSegment(
  write: Knex,
  user: HostUser,
  { id, mayChange }: Segment,
  { revision, filters: list, ...given }: z.output<typeof segmentChange>,
): Promise<SegmentResult> {
  if (!mayChange) return { kind: 'not-yours' };
  try {
    const [row]: Row[] = await write('analytics.segment')
      .where({ segment_id: id, revision })
      .update({
        ...given,
        ...(list !== undefined && { filters: JSON.stringify(list) }),
        revision: revision + 1,
      })
      .returning(COLUMNS);
    return row === undefined ? { kind: 'changed' } : { kind: 'saved', segment: segmentOf(row, user) };
  } catch (error) {
    if (error instanceof DatabaseError && error.code === UNIQUE_VIOLATION) return { kind: 'name-taken' };
    throw error;
  }
}

/** Deletes the segment, if `revision` is still current. */
export async function deleteSegment(write: Knex, segment: Segment, revision: number): Promise<SegmentResult> {
  if (!segment.mayChange) return { kind: 'not-yours' };
  const deleted = await write('analytics.segment').where({ segment_id: segment.id, revision }).delete();
  return deleted === 0 ? { kind: 'changed' } : { kind: 'saved', segment };
}
