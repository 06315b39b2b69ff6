// GET query-record: the text of one recorded query, for the playground.
// id -> the query as it was sent and its contract. People get their own, those who manage users everybody's.
import { z } from 'zod';
import { type HostRequest, type HostResponse, pageAddress } from '../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import { findRecordedQuery, type RecordedQuery } from './list-query-records';
import type { PageRoute } from './page-route';

/** A link that opens a recorded query in the playground: its text may be too long for an address. */
export const recordLink = ({ id, version }: Pick<RecordedQuery, 'id' | 'version'>): string =>
  `${pageAddress('playground')}?${new URLSearchParams({ version, record: String(id) })}`;

export function recordRoute(analytics: Analytics): PageRoute {
  return {
    path: '/query-record',
    methods: ['GET'],
    summary: 'The text of a query that was recorded.',
    input: z.object({ id: z.int().describe('Number of the record.') }),
    capability: 'read',
    handle: (request) => answerRecord(analytics, request),
  };
}

async function answerRecord(
  { host, records }: Analytics,
  { query, user }: HostRequest,
): Promise<HostResponse> {
  const { id = '' } = query;
  await records.settle();
  const everybody = user?.capabilities.includes('list_users') === true;
  const found =
    user !== null && /^\d{1,15}$/.test(id)
      ? await findRecordedQuery(host.database.read, Number(id), everybody ? undefined : user.id)
      : undefined;
  if (found !== undefined) return { status: 200, body: found };
  const message = 'There is no such query any more, or it is not yours.';
  return { status: 404, body: { code: 'not_found', message, data: { status: 404 } } };
}
