// Sessions in an export without session ids: a session is identified by its visitor, its number on a day, and
// the local day of its first view. Its id is generated from these three, so it is the same in every file.

import { VISIT_PAUSE_SECONDS } from '../../change/steps';
import { idOfText } from '../../rows/generated-ids';
import { recentTexts } from '../bounded-maps';

const DAY = 86_400;
/** The number of sessions that may stay open, which is also the number of strings that a dimension caches. */
const OPEN_SESSIONS = 120_000;

interface OpenSession {
  /** The day of its first view. */
  readonly day: number;
  /** The time (in seconds) and the position of its last view. */
  readonly at: number;
  readonly place: number;
}

/**
 * The ids of sessions. A session begins on the day of its first view, but midnight does not split it: a view
 * belongs to the previous day's session with the same reader and number if it continues that session, by its
 * position or, without one, by its time.
 */
export function exportedSessions(): (key: string, time: string, pv: string | undefined) => number {
  const open = recentTexts<OpenSession>(OPEN_SESSIONS);
  return (key, time, pv) => {
    const at = secondsOf(time);
    const today = Math.floor(at / DAY);
    const last = open.get(key);
    const isNext = (one: OpenSession): boolean =>
      pv === undefined ? at >= one.at && at - one.at <= VISIT_PAUSE_SECONDS : Number(pv) === one.place + 1;
    const day = last?.day === today - 1 && isNext(last) ? last.day : today;
    const place = pv === undefined ? (day === last?.day ? last.place : 0) + 1 : Number(pv);
    // A row with an unreadable time or position is rejected later.
    if (!Number.isNaN(day + place)) open.set(key, { day, at, place });
    return idOfText(`${key} ${day}`);
  };
}

/** The local time as if it were UTC; NaN if it cannot be read. */
function secondsOf(time: string): number {
  const exact = Date.parse(`${time.slice(0, 19).replace(' ', 'T')}Z`);
  return (Number.isNaN(exact) ? Date.parse(time.slice(0, 10)) : exact) / 1000;
}
