// Routes for saved queries of the playground.
import { z } from 'zod';
import type { HostResponse, HostUser } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { type PageRoute, refuse } from '../page-route';
import { withFields } from '../user-route';
import { MAX_SAVED_QUERIES, savedQueries, savedQueryChange, savedQueryFields } from './saved-queries';
import { answerResult, changeRoutes, idOf, onSaved } from './saved-routes';

const LIST = { path: '/saved-queries', capability: 'read' } as const;
const ONE = { path: '/saved-queries/{id}', capability: 'read' } as const;

const REFUSALS = {
  'name-taken': [409, 'Its owner already has a saved query with this name. Choose another name.'],
  full: [409, `You have ${MAX_SAVED_QUERIES} saved queries, which is the limit. Delete one first.`],
  'not-yours': [403, 'Only its owner and administrators can change this query. Save it under another name.'],
  changed: [
    409,
    'This query was changed after you opened it, so nothing was done. Open it again, or save yours under another name.',
  ],
} as const;

export function savedQueryRoutes(analytics: Analytics): readonly PageRoute[] {
  const { host, contracts } = analytics;
  const { read, write } = host.database;
  const columnsOf = <Fields extends { readonly text?: string | undefined }>({ text, ...fields }: Fields) => ({
    ...fields,
    ...(text !== undefined && { body: text }),
    changed_at: host.clock(),
  });
  const unknownVersion = ({
    version,
  }: {
    readonly version?: string | undefined;
  }): HostResponse | undefined =>
    version === undefined || contracts.some((contract) => contract.version === version)
      ? undefined
      : refuse(400, `There is no API version ${version}.`);
  const saved = {
    what: 'saved query',
    find: (user: HostUser, id: number) =>
      savedQueries.find<{ readonly text: string }>(read, user, id, 'body as text'),
  };
  return [
    {
      ...LIST,
      methods: ['GET'],
      summary: 'Your saved queries, and those that others share.',
      input: z.object({}),
      handle: async (_request, user) => ({
        status: 200,
        body: { queries: await savedQueries.list(read, user) },
      }),
    },
    {
      ...LIST,
      methods: ['POST'],
      summary: 'Saves a query under a name.',
      input: savedQueryFields,
      handle: ({ body }, user) =>
        withFields(
          { schema: savedQueryFields, what: saved.what },
          body,
          async (fields) =>
            unknownVersion(fields) ??
            answerResult(await savedQueries.add(write, host.accounts, user, columnsOf(fields)), REFUSALS),
        ),
    },
    {
      ...ONE,
      methods: ['GET'],
      summary: 'A saved query with its text.',
      input: z.object({ id: idOf(saved.what) }),
      handle: onSaved(saved, async (stored) => ({ status: 200, body: stored })),
    },
    ...changeRoutes(analytics, {
      ...saved,
      one: ONE,
      rows: savedQueries,
      changeable: 'the text',
      changes: savedQueryChange,
      check: (_user, changes) => unknownVersion(changes),
      columnsOf,
      refusals: REFUSALS,
    }),
  ];
}
