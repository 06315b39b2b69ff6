// Notes on individual days of a site. They belong to the site, like its goals: everyone who may query the site can change them.
import type { Knex } from 'knex';
import { z } from 'zod';
import type { ReadPool } from '../../../host-shim/extension-api';
import { lockLimit } from '../../data/storage/advisory-locks';
import { analytics, rawSql } from '../../data/storage/build-query';
import { strict } from '../../data/storage/field-faults';
import { nameText } from '../../data/storage/plain-text';
import { isLocalDate } from '../../language/time/local-time';
import { FIRST_DAY, LAST_DAY } from '../dashboard/dashboard-range';
import { type DayRange, MAX_NOTE_LENGTH, type Note } from '../shared-types/dashboard-types';
import { revisionSeen } from '../user-route';

export const MAX_NOTES = 2_000;

const fields = {
  day: z
    .string()
    .refine(
      (day) => isLocalDate(day) && day >= FIRST_DAY && day <= LAST_DAY,
      `must be a date from ${FIRST_DAY} to ${LAST_DAY}`,
    )
    .describe("Day in the site's time zone, such as 2026-11-01."),
  text: z.string().trim().pipe(nameText(MAX_NOTE_LENGTH)),
};
export const noteFields = strict({ tracking_id: z.string().describe('Tracking id of a site.'), ...fields });
export const noteChange = strict({ ...fields, revision: revisionSeen });

const COLUMNS = ['note_id as id', rawSql('day::text AS day'), 'text', 'revision'];

/** Sorted by day. */
export const listNotes = (
  read: ReadPool,
  siteId: number,
  { first, last }: DayRange,
): Promise<readonly Note[]> =>
  read.select<Note>(
    analytics('note')
      .where('site_id', siteId)
      .whereBetween('day', [first, last])
      .select<Note[]>(...COLUMNS)
      .orderBy(['day', 'note_id']),
  );

/** The id of the note's site; undefined if there is no such note. */
export async function siteOfNote(read: ReadPool, id: number): Promise<number | undefined> {
  const [row] = await read.select<{ siteId: number }>(
    analytics('note').where('note_id', id).select({ siteId: 'site_id' }),
  );
  return row?.siteId;
}

type GivenNote = Omit<z.output<typeof noteFields>, 'tracking_id'>;

/** undefined if the site already has the maximum number of notes. */
export function addNote(write: Knex, siteId: number, given: GivenNote): Promise<Note | undefined> {
  return write.transaction(async (transaction) => {
    await lockLimit(transaction, siteId);
    const notes = transaction('analytics.note');
    const [{ count } = { count: 0 }] = await notes.clone().where('site_id', siteId).count();
    if (Number(count) >= MAX_NOTES) return undefined;
    // Citus does not accept `day::text` here.
    const [added] = await notes
      .insert({ site_id: siteId, ...given })
      .returning<Pick<Note, 'id' | 'revision'>[]>(['note_id as id', 'revision']);
    return added && { id: added.id, ...given, revision: added.revision };
  });
}

/** undefined if `revision` is no longer current. */
export async function changeNote(
  write: Knex,
  id: number,
  { revision, ...given }: z.output<typeof noteChange>,
): Promise<Note | undefined> {
  const changed = { ...given, revision: revision + 1 };
  const count = await write('analytics.note').where({ note_id: id, revision }).update(changed);
  return count === 0 ? undefined : { id, ...changed };
}

/** False if `revision` is no longer current. */
export async function deleteNote(write: Knex, id: number, revision: number): Promise<boolean> {
  return (await write('analytics.note').where({ note_id: id, revision }).delete()) > 0;
}
