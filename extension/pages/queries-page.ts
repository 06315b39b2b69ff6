// The "Queries" page: the latest queries, who sent them, and their outcome; and the route that returns a query's text.
// Administrators see all queries; other users see only their own. A filter selects a user and how the query was sent.
import { z } from 'zod';
import {
  type AdminPage,
  type AdminRequest,
  type HostUser,
  PageError,
  pageAddress,
} from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import {
  findRecordedQuery,
  listQueryRecords,
  listSenders,
  type QueryRecord,
  type RecordFilter,
  type Sender,
  type Way,
} from '../query/query-records/list-query-records';
import {
  MAX_RECORDED_BODY_LENGTH,
  MAX_RECORDS,
  MAX_RECORDS_OF_KEYS,
  REQUESTING_PAGES,
} from '../query/query-records/query-records';
import { type PageRoute, refuse } from './page-route';

const QUERIES_ADDRESS = pageAddress('queries');
const PAGE_SIZE = 50;
/** Filter value: sent from a page, without an application password. */
const ON_A_PAGE = 'page';
/** A user's id, optionally with how queries were sent: `3`, `3.page`, `3.dashboard`, or `3.` followed by an application password's id. */
const SENT_BY = new RegExp(
  String.raw`^(\d{1,9})(?:\.(?:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|(${[ON_A_PAGE, ...REQUESTING_PAGES].join('|')})))?$`,
);

export const queriesPage = (analytics: Analytics): AdminPage => ({
  slug: 'queries',
  title: 'Queries',
  howTo: 'query-records',
  group: 'Data',
  position: 20,
  capability: 'read',
  async handle({ query, user }) {
    const { host, records } = analytics;
    const everybody = user.capabilities.includes('list_users');
    const filter = filterOf(query, user, everybody);
    await records.settle();
    const [found, senders] = await Promise.all([
      listQueryRecords(host.database.read, filter, PAGE_SIZE + 1),
      listSenders(host.database.read, everybody ? undefined : user.id),
    ]);
    const shown = found.slice(0, PAGE_SIZE);
    const last = shown.at(-1);
    return {
      kind: 'page',
      view: 'extension/pages/views/queries',
      data: {
        everybody,
        by: query.by ?? '',
        onlyErrors: filter.onlyErrors,
        choices: choicesOf(senders, everybody),
        queries: shown.map(shownRecord),
        newest: query.before === undefined ? null : addressOf({ ...query, before: undefined }),
        older:
          found.length > PAGE_SIZE && last !== undefined
            ? addressOf({ ...query, before: String(last.id) })
            : null,
        max: MAX_RECORDS,
        maxOfPasswords: MAX_RECORDS_OF_KEYS,
        longestBody: MAX_RECORDED_BODY_LENGTH,
      },
    };
  },
});

function filterOf(query: AdminRequest['query'], user: HostUser, everybody: boolean): RecordFilter {
  const [, id, keyUuid, page] = SENT_BY.exec(query.by ?? '') ?? [];
  if (query.by !== undefined && query.by !== '' && id === undefined)
    throw new PageError(400, 'The filter "by" must be one of the options on this page.');
  if (query.before !== undefined && !/^\d{1,15}$/.test(query.before))
    throw new PageError(400, '"before" must be the id of a query.');
  if (!['', '1', undefined].includes(query.errors))
    throw new PageError(400, 'The filter "errors" must be 1 or absent.');
  if (!everybody && id !== undefined && Number(id) !== user.id)
    throw new PageError(403, 'You may only see your own queries.');
  const requested = id === undefined ? undefined : Number(id);
  return {
    userId: everybody ? requested : user.id,
    way: wayOf(keyUuid, page),
    onlyErrors: query.errors === '1',
    before: query.before === undefined ? undefined : Number(query.before),
  };
}

function wayOf(keyUuid: string | undefined, page: string | undefined): Way | undefined {
  if (keyUuid !== undefined) return { keyUuid, page: null };
  return page === undefined ? undefined : { keyUuid: null, page: page === ON_A_PAGE ? null : page };
}

function addressOf(query: Readonly<Record<string, string | undefined>>): string {
  const params = new URLSearchParams();
  for (const name of ['by', 'errors', 'before']) {
    const value = query[name] ?? '';
    if (value !== '') params.set(name, value);
  }
  return params.size === 0 ? QUERIES_ADDRESS : `${QUERIES_ADDRESS}?${params}`;
}

/** The ways in which each user sent queries. If all users' queries are shown, each user is also a choice. */
function choicesOf(senders: readonly Sender[], everybody: boolean) {
  const users = new Map(senders.map(({ userId, login }) => [userId, login]));
  return [...users].flatMap(([userId, login]) => [
    ...(everybody ? [{ value: String(userId), label: login }] : []),
    ...senders
      .filter((asker) => asker.userId === userId)
      .map(({ keyUuid, keyName, page }) => {
        const way = keyUuid === null ? onPage(page) : `with "${keyName ?? keyUuid}"`;
        return {
          value: `${userId}.${keyUuid ?? page ?? ON_A_PAGE}`,
          label: everybody ? `${login}, ${way}` : way,
        };
      }),
  ]);
}

const onPage = (page: string | null): string => page ?? 'in the browser';

const shownRecord = ({ hasBody, page, ...record }: QueryRecord) => ({
  ...record,
  onPage: onPage(page),
  playground: hasBody ? recordLink(record) : null,
});

/** The link contains the record's id, because a query may be too long for a URL. */
const recordLink = ({ id, version }: Pick<QueryRecord, 'id' | 'version'>): string =>
  `${pageAddress('playground')}?${new URLSearchParams({ version, record: String(id) })}`;

/** Users can read their own queries; users who manage accounts can read all. */
export const queryRecordRoute = ({ host, records }: Pick<Analytics, 'host' | 'records'>): PageRoute => ({
  path: '/query-record',
  methods: ['GET'],
  summary: 'The text of a recorded query.',
  input: z.object({ id: z.int().describe('Id of the record.') }),
  capability: 'read',
  async handle({ query: { id = '' } }, user) {
    await records.settle();
    const everybody = user.capabilities.includes('list_users');
    const found = /^\d{1,15}$/.test(id)
      ? await findRecordedQuery(host.database.read, Number(id), everybody ? undefined : user.id)
      : undefined;
    if (found !== undefined) return { status: 200, body: found };
    return refuse(404, 'This query is no longer recorded, or it is not yours.');
  },
});
