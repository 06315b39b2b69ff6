// Queries that users saved under a name.
import { z } from 'zod';
import { strict } from '../../data/storage/field-faults';
import { nameText, plainText } from '../../data/storage/plain-text';
import { LONGEST_NAME, type SavedQuery } from '../shared-types/saved-types';
import { revisionSeen } from '../user-route';
import { type SavedTable, savedRows } from './saved-rows';

export const MOST_SAVED_QUERIES = 200;
const LONGEST_SAVED_QUERY = 100_000;

export const savedQueryFields = strict({
  name: z.string().trim().pipe(nameText(LONGEST_NAME)).describe('Unique among those of its owner.'),
  text: plainText(LONGEST_SAVED_QUERY).describe('The query as it is typed; it need not be valid.'),
  version: z.string().describe('API version of the query.'),
  shared: z.boolean().describe('Whether everyone may open it.'),
});
export const savedQueryChange = savedQueryFields.partial().extend({ revision: revisionSeen });

export const SAVED_QUERIES: SavedTable = {
  table: 'saved_query',
  id: 'saved_query_id',
  columns: ['version', 'changed_at as changedAt'],
  within: [],
  most: MOST_SAVED_QUERIES,
};
export const savedQueries = savedRows<SavedQuery<Date>>(SAVED_QUERIES);
