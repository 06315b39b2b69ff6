// Routes for saved queries of the playground.
import { z } from 'zod';
import type { HostResponse } from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import { type PageRoute, refuse } from './page-route';
import {
  addSavedQuery,
  changeSavedQuery,
  deleteSavedQuery,
  findSavedQuery,
  listSavedQueries,
  MOST_SAVED_QUERIES,
  revisionSeen,
  type SavedQueryText,
  type SaveResult,
  savedQueryChange,
  savedQueryFields,
} from './saved-queries';
import { type ForUser, forUser, storedId, withFields } from './user-route';

const WHAT = 'saved query';
const id = z.int().describe('Number of the saved query.');
const LIST = { path: '/saved-queries', capability: 'read' } as const;
const ONE = { path: '/saved-queries/{id}', capability: 'read' } as const;

export function savedQueryRoutes(analytics: Analytics): readonly PageRoute[] {
  const { read, write } = analytics.host.database;
  const { clock } = analytics.host;
  return [
    {
      ...LIST,
      methods: ['GET'],
      summary: 'Your saved queries, and those that others share.',
      input: z.object({}),
      handle: forUser(async (user) => ({
        status: 200,
        body: { queries: await listSavedQueries(read, user) },
      })),
    },
    {
      ...LIST,
      methods: ['POST'],
      summary: 'Saves a query under a name.',
      input: savedQueryFields,
      handle: forUser((user, { body }) =>
        withFields(
          { schema: savedQueryFields, what: WHAT },
          body,
          ofVersion(analytics, (fields) => addSavedQuery(write, user, fields, clock())),
        ),
      ),
    },
    {
      ...ONE,
      methods: ['GET'],
      summary: 'A saved query with its text.',
      input: z.object({ id }),
      handle: onSavedQuery(analytics, async (stored) => ({ status: 200, body: stored })),
    },
    {
      ...ONE,
      methods: ['POST'],
      summary: 'Changes the name, the text or the sharing of a saved query.',
      input: savedQueryChange.extend({ id }),
      handle: onSavedQuery(analytics, (stored, user, { body }) =>
        withFields(
          { schema: savedQueryChange, what: WHAT },
          body,
          ofVersion(analytics, (fields) => changeSavedQuery(write, user, stored, fields, clock())),
        ),
      ),
    },
    {
      ...ONE,
      methods: ['DELETE'],
      summary: 'Deletes a saved query.',
      input: z.object({ id, revision: revisionSeen }),
      handle: onSavedQuery(analytics, async (stored, _user, { query }) => {
        const seen = revisionSeen.safeParse(Number(query.revision));
        if (!seen.success)
          return refuse(400, 'The parameter "revision" must be that of the query as you saw it.');
        return answerResult(await deleteSavedQuery(write, stored, seen.data));
      }),
    },
  ];
}

const onSavedQuery = (
  { host }: Pick<Analytics, 'host'>,
  handle: (stored: SavedQueryText, ...rest: Parameters<ForUser>) => Promise<HostResponse>,
): PageRoute['handle'] =>
  forUser(async (user, request) => {
    const id = storedId(request);
    const stored = id === undefined ? undefined : await findSavedQuery(host.database.read, id, user);
    if (stored !== undefined) return handle(stored, user, request);
    return refuse(
      404,
      `There is no saved query ${request.params.id}: it was deleted, or its owner does not share it.`,
    );
  });

/** The API version of a query must exist. */
const ofVersion =
  <Fields extends { readonly version?: string | undefined }>(
    { contracts }: Pick<Analytics, 'contracts'>,
    save: (fields: Fields) => Promise<SaveResult>,
  ) =>
  async (fields: Fields): Promise<HostResponse> => {
    const { version } = fields;
    if (version !== undefined && contracts.every((contract) => contract.version !== version))
      return refuse(400, `There is no API version ${version}.`);
    return answerResult(await save(fields));
  };

const REFUSALS = {
  'name-taken': [409, 'Its owner already has a saved query with this name. Choose another name.'],
  full: [409, `You have ${MOST_SAVED_QUERIES} saved queries, which is the limit. Delete one first.`],
  'not-yours': [403, 'Only its owner and administrators can change this query. Save it under another name.'],
  changed: [
    409,
    'This query was changed after you opened it, so nothing was done. Open it again, or save yours under another name.',
  ],
} as const satisfies Readonly<Record<Exclude<SaveResult['kind'], 'saved'>, readonly [403 | 409, string]>>;

function answerResult(result: SaveResult): HostResponse {
  if (result.kind === 'saved') return { status: 200, body: result.query };
  const [status, message] = REFUSALS[result.kind];
  return refuse(status, message);
}
