// Sessions of an export that gives them no id: one is known by its visitor, its number on a day, and the local day of its first
// view. Its id is generated from these three, so it is the same in every file.

import { VISIT_PAUSE_SECONDS } from '../../change/steps';
import { idOfText } from '../../rows/generated-ids';
import { recentTexts } from '../bounded-maps';

const DAY = 86_400;
const PLACES = 100_000;
const SECONDS = 2 * DAY;
/** Sessions that may go on: as many as texts of a dimension are cached. */
const OPEN_SESSIONS = 120_000;
const OPEN_CHARACTERS = 4_000_000;

/**
 * The ids of sessions. A session begins on the day of its view, except that midnight does not cut it: a view belongs to the
 * session of that reader and number of the day before if it goes on there, by its place or, without one, by its time.
 */
export function exportedSessions(): (key: string, time: string, pv: string | undefined) => number {
  // Day of the first view, seconds from there to the last one, and its place, as one number.
  const open = recentTexts<number>(OPEN_SESSIONS, OPEN_CHARACTERS);
  return (key, time, pv) => {
    const at = secondsOf(time);
    const day = Math.floor(at / DAY);
    const known = open.get(key) ?? Number.NaN;
    const lastPlace = known % PLACES;
    const knownDay = Math.floor(known / PLACES / SECONDS);
    const pause = at - knownDay * DAY - (Math.floor(known / PLACES) % SECONDS);
    const isNext =
      pv === undefined ? pause >= 0 && pause <= VISIT_PAUSE_SECONDS : Number(pv) === lastPlace + 1;
    const first = day - knownDay === 1 && isNext ? knownDay : day;
    const place = pv === undefined ? (first === knownDay ? lastPlace : 0) + 1 : Number(pv);
    // An unreadable time is rejected with its row later on.
    if (place < PLACES && !Number.isNaN(first)) {
      open.set(key, (first * SECONDS + Math.floor(at - first * DAY)) * PLACES + place);
    }
    return idOfText(`${key} ${first}`);
  };
}

/** The local time as if it were UTC; NaN if it cannot be read. */
function secondsOf(time: string): number {
  const exact = Date.parse(`${time.slice(0, 19).replace(' ', 'T')}Z`);
  return (Number.isNaN(exact) ? Date.parse(time.slice(0, 10)) : exact) / 1000;
}
