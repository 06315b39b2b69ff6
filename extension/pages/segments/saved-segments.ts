// Sets of filters that users saved under a name, for one site. Only users who can see the site see its segments.
import { z } from 'zod';
import { strict } from '../../data/storage/field-faults';
import { nameText } from '../../data/storage/plain-text';
import { filtersSchema } from '../dashboard/requested-dashboard';
import { type SavedTable, savedRows } from '../saved/saved-rows';
import { MAX_NAME_LENGTH, type Segment } from '../shared-types/saved-types';
import { revisionSeen } from '../user-route';

export const MAX_SEGMENTS = 100;
/** The filters must fit in a URL: servers and proxies accept no more than 8 to 16 kB. */
const MAX_ADDRESS_LENGTH = 6_000;

const filters = filtersSchema
  .refine((list) => list.length > 0, 'must not be empty')
  .refine(
    (list) => encodeURIComponent(JSON.stringify(list)).length <= MAX_ADDRESS_LENGTH,
    `must be at most ${MAX_ADDRESS_LENGTH} characters long in an address: use fewer values`,
  );

const fields = {
  name: z
    .string()
    .trim()
    .pipe(nameText(MAX_NAME_LENGTH))
    .describe("Unique among the owner's segments of the site."),
  filters: filters.describe('The filters, as the dashboard sends them.'),
  shared: z.boolean().describe('Whether everyone who can see the site may use it.'),
};
export const segmentFields = strict({
  tracking_id: z.string().describe('Tracking id of a site.'),
  ...fields,
});
export const segmentChange = strict(fields).partial().extend({ revision: revisionSeen });

export const SEGMENTS: SavedTable = {
  table: 'segment',
  id: 'segment_id',
  columns: ['filters'],
  within: ['site_id'],
  max: MAX_SEGMENTS,
};
export const segments = savedRows<Segment>(SEGMENTS);
