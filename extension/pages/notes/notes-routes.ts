// Routes that change notes. The head of the dashboard's response lists the notes.
import { z } from 'zod';
import type { HostRequest, HostResponse } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { permittedSites } from '../../data/storage/sites/list-sites';
import { noSuchSite, type PageRoute, refuse, siteOf } from '../page-route';
import { revisionSeen, storedId, withFields, withRevision } from '../user-route';
import { addNote, changeNote, deleteNote, MAX_NOTES, noteChange, noteFields, siteOfNote } from './site-notes';

const WHAT = 'note';
const id = z.int().describe('Id of the note.');
const ONE = { path: '/notes/{id}', capability: 'read' } as const;

export function noteRoutes({ host }: Pick<Analytics, 'host'>): readonly PageRoute[] {
  const { read, write } = host.database;
  const onNote =
    (handle: (note: number, request: HostRequest) => Promise<HostResponse>): PageRoute['handle'] =>
    async (request, user) => {
      const note = storedId(request);
      const siteId = note === undefined ? undefined : await siteOfNote(read, note);
      const sites = await permittedSites(read, user.sites);
      return note !== undefined && sites.some((site) => site.siteId === siteId)
        ? handle(note, request)
        : refuse(404, `There is no note ${request.params.id}; it may have been deleted.`);
    };
  return [
    {
      path: '/notes',
      capability: 'read',
      methods: ['POST'],
      summary: 'Adds a note to a site for a given day.',
      input: noteFields,
      handle: ({ body }, user) =>
        withFields(
          { schema: noteFields, what: WHAT },
          body,
          async ({ tracking_id: trackingId, ...given }) => {
            const site = await siteOf(host, user, trackingId);
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
      handle: onNote((noteId, { body }) =>
        withFields({ schema: noteChange, what: WHAT }, body, async (given) => {
          const note = await changeNote(write, noteId, given);
          return note === undefined ? CHANGED : { status: 200, body: note };
        }),
      ),
    },
    {
      ...ONE,
      methods: ['DELETE'],
      summary: 'Deletes a note.',
      input: z.object({ id, revision: revisionSeen }),
      handle: onNote((noteId, request) =>
        withRevision(WHAT, request, async (revision) =>
          (await deleteNote(write, noteId, revision)) ? { status: 200, body: { id: noteId } } : CHANGED,
        ),
      ),
    },
  ];
}

const FULL = refuse(409, `The site has ${MAX_NOTES} notes, which is the limit. Delete one first.`);
const CHANGED = refuse(
  409,
  'This note was changed in the meantime, so nothing was done. Cancel to see the current note.',
);
