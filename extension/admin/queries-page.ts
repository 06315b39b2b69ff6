// The page "Queries": what was asked lately, by whom, and what became of it.
// Administrators see everybody's queries, others their own; a filter names a user, and one of his ways of asking.
import {
  type AdminPage,
  type AdminRequest,
  type HostUser,
  PageError,
  pageAddress,
} from '../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import {
  ASKING_PAGES,
  LONGEST_RECORDED_BODY,
  MOST_RECORDS,
  MOST_RECORDS_OF_KEYS,
} from '../query-records/query-records';
import {
  type Asker,
  listAskers,
  listQueryRecords,
  type QueryRecord,
  type RecordFilter,
  type Way,
} from './list-query-records';
import { recordLink } from './record-route';

const QUERIES_ADDRESS = pageAddress('queries');
const PAGE_SIZE = 50;
/** In the filter: asked by a person on a page, without an application password. */
const ON_A_PAGE = 'page';
/** A user, and perhaps one of his ways of asking: `3`, `3.page`, `3.dashboard`, `3.` and the id of a key. */
const ASKED_BY = new RegExp(
  String.raw`^(\d{1,9})(?:\.(?:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|(${[ON_A_PAGE, ...ASKING_PAGES].join('|')})))?$`,
);

export const queriesPage = (analytics: Analytics): AdminPage => ({
  slug: 'queries',
  title: 'Queries',
  group: 'Data',
  position: 20,
  capability: 'read',
  async handle({ query, user }) {
    const { host, records } = analytics;
    const everybody = user.capabilities.includes('list_users');
    const filter = filterOf(query, user, everybody);
    await records.settle();
    const [found, askers] = await Promise.all([
      listQueryRecords(host.database.read, filter, PAGE_SIZE + 1),
      listAskers(host.database.read, everybody ? undefined : user.id),
    ]);
    const shown = found.slice(0, PAGE_SIZE);
    const last = shown.at(-1);
    return {
      kind: 'page',
      view: 'extension/admin/views/queries',
      data: {
        everybody,
        by: query.by ?? '',
        onlyErrors: filter.onlyErrors,
        choices: choicesOf(askers, everybody),
        queries: shown.map(shownRecord),
        newest: query.before === undefined ? null : addressOf({ ...query, before: undefined }),
        older:
          found.length > PAGE_SIZE && last !== undefined
            ? addressOf({ ...query, before: String(last.id) })
            : null,
        kept: MOST_RECORDS,
        keptOfKeys: MOST_RECORDS_OF_KEYS,
        longestBody: LONGEST_RECORDED_BODY,
      },
    };
  },
});

function filterOf(query: AdminRequest['query'], user: HostUser, everybody: boolean): RecordFilter {
  const [, id, keyUuid, page] = ASKED_BY.exec(query.by ?? '') ?? [];
  if (query.by !== undefined && query.by !== '' && id === undefined)
    throw new PageError(400, 'The filter "by" must be one that this page offers.');
  if (query.before !== undefined && !/^\d{1,15}$/.test(query.before))
    throw new PageError(400, 'The place "before" must be the number of a query.');
  if (!['', '1', undefined].includes(query.errors))
    throw new PageError(400, 'The filter "errors" must be 1, or left out.');
  if (!everybody && id !== undefined && Number(id) !== user.id)
    throw new PageError(403, 'You may see your own queries only.');
  const asked = id === undefined ? undefined : Number(id);
  return {
    userId: everybody ? asked : user.id,
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
  const said = new URLSearchParams();
  for (const name of ['by', 'errors', 'before']) {
    const value = query[name] ?? '';
    if (value !== '') said.set(name, value);
  }
  return said.size === 0 ? QUERIES_ADDRESS : `${QUERIES_ADDRESS}?${said}`;
}

/** What the filter offers: each user as a whole where there are several, then his ways of asking. */
function choicesOf(askers: readonly Asker[], everybody: boolean) {
  const users = new Map(askers.map(({ userId, login }) => [userId, login]));
  return [...users].flatMap(([userId, login]) => [
    ...(everybody ? [{ value: String(userId), text: login }] : []),
    ...askers
      .filter((asker) => asker.userId === userId)
      .map(({ keyUuid, keyName, page }) => {
        const way = keyUuid === null ? onPage(page) : `with "${keyName ?? keyUuid}"`;
        return {
          value: `${userId}.${keyUuid ?? page ?? ON_A_PAGE}`,
          text: everybody ? `${login}, ${way}` : way,
        };
      }),
  ]);
}

const onPage = (page: string | null): string => (page === null ? 'on a page' : `by the ${page}`);

const shownRecord = ({ hasBody, page, ...record }: QueryRecord) => ({
  ...record,
  onPage: onPage(page),
  playground: hasBody ? recordLink(record) : null,
});
