// Sessions in an export without session ids: a session is identified by its visitor, its number on a day, and
// the local day of its first view. Its id is generated from these three, so it is the same in every file.

import { VISIT_PAUSE_SECONDS } from '../../change/steps';
import { idOfText } from '../../rows/generated-ids';
import { recentTexts } from '../bounded-maps';

const DAY = 86_400;
const PLACES = 100_000;
const SECONDS = 2 * DAY;
/** How many sessions may stay open: as many as a dimension has cached strings. */
const OPEN_SESSIONS = 120_000;

/**
 * The ids of sessions. A session begins on the day of its first view, but midnight does not split it: a view
 * belongs to the previous day's session with the same reader and number if it continues that session, by its
 * position or, without one, by its time.
 */
export function exportedSessions(): (key: string, time: string, pv: string | undefined) => number {
  // The day of the first view, the seconds from there to the last one, and its position, as one number.
  const open = recentTexts<number>(OPEN_SESSIONS);
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
    // A row with an unreadable time is rejected later.
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
