// Routes that change notes. The head of the dashboard's answer lists them.
import { z } from 'zod';
import type { HostRequest, HostResponse } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { permittedSites } from '../../data/storage/sites/list-sites';
import { maySeeSite, noSuchSite, type PageRoute, refuse } from '../page-route';
import { revisionSeen } from '../saved/saved-rows';
import { storedId, withFields } from '../user-route';
import {
  addNote,
  changeNote,
  deleteNote,
  MOST_NOTES,
  noteChange,
  noteFields,
  siteOfNote,
} from './site-notes';

const WHAT = 'note';
const id = z.int().describe('Number of the note.');
const ONE = { path: '/notes/{id}', capability: 'read' } as const;

export function noteRoutes({ host }: Pick<Analytics, 'host'>): readonly PageRoute[] {
  const { read, write } = host.database;
  const onNote =
    (handle: (note: number, request: HostRequest) => Promise<HostResponse>): PageRoute['handle'] =>
    async (request) => {
      const note = storedId(request);
      const trackingId = note === undefined ? undefined : await siteOfNote(read, note);
      return note !== undefined && trackingId !== undefined && (await maySeeSite(host, request, trackingId))
        ? handle(note, request)
        : refuse(404, `There is no note ${request.params.id}: it was deleted.`);
    };
  return [
    {
      path: '/notes',
      capability: 'read',
      methods: ['POST'],
      summary: 'Adds a note on a day of a site.',
      input: noteFields,
      handle: ({ user, body }) =>
        withFields(
          { schema: noteFields, what: WHAT },
          body,
          async ({ tracking_id: trackingId, ...given }) => {
            const sites = await permittedSites(read, user?.sites ?? []);
            const site = sites.find((one) => one.trackingId === trackingId);
            if (site === undefined) return noSuchSite(trackingId);
            const note = await addNote(write, site.siteId, given);
            return note === undefined ? FULL : { status: 200, body: note };
          },
        ),
    },
    {
      ...ONE,
      methods: ['POST'],
      summary: 'Changes the day and the text of a note.',
      input: noteChange.extend({ id }),
      handle: onNote((one, { body }) =>
        withFields({ schema: noteChange, what: WHAT }, body, async (given) => {
          const note = await changeNote(write, one, given);
          return note === undefined ? CHANGED : { status: 200, body: note };
        }),
      ),
    },
    {
      ...ONE,
      methods: ['DELETE'],
      summary: 'Deletes a note.',
      input: z.object({ id, revision: revisionSeen }),
      handle: onNote(async (one, { query }) => {
        const seen = revisionSeen.safeParse(Number(query.revision));
        if (!seen.success)
          return refuse(400, 'The parameter "revision" must be that of the note as you saw it.');
        return (await deleteNote(write, one, seen.data)) ? { status: 200, body: { id: one } } : CHANGED;
      }),
    },
  ];
}

const FULL = refuse(409, `The site has ${MOST_NOTES} notes, which is the limit. Delete one first.`);
const CHANGED = refuse(
  409,
  'This note was changed in the meantime, so nothing was done. Refresh the dashboard to see it.',
);
