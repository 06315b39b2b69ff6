// Queries that users saved under a name.
import { z } from 'zod';
import { strict } from '../../data/storage/field-faults';
import { nameText, plainText } from '../../data/storage/plain-text';
import { MAX_NAME_LENGTH, type SavedQuery } from '../shared-types/saved-types';
import { revisionSeen } from '../user-route';
import { type SavedTable, savedRows } from './saved-rows';

export const MAX_SAVED_QUERIES = 200;
const MAX_SAVED_QUERY_LENGTH = 100_000;

export const savedQueryFields = strict({
  name: z.string().trim().pipe(nameText(MAX_NAME_LENGTH)).describe("Unique among the owner's saved queries."),
  text: plainText(MAX_SAVED_QUERY_LENGTH).describe('The query as typed; it need not be valid.'),
  version: z.string().describe('API version of the query.'),
  shared: z.boolean().describe('Whether everyone may open it.'),
});
export const savedQueryChange = savedQueryFields.partial().extend({ revision: revisionSeen });

export const SAVED_QUERIES: SavedTable = {
  table: 'saved_query',
  id: 'saved_query_id',
  columns: ['version', 'changed_at as changedAt'],
  within: [],
  max: MAX_SAVED_QUERIES,
};
export const savedQueries = savedRows<SavedQuery<Date>>(SAVED_QUERIES);
