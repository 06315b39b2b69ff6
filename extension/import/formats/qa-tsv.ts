// The export file of a migrating user: 17 fields between tabs, nothing quoted, local times. A session has no id there: it is
// known by its reader, its number on a day, and the local day of its first view. Its id is generated from these three, so
// it is the same in every file.
import { createHash } from 'node:crypto';
import { boundedMap } from '../bounded-maps';
import { LAST_GIVEN_ID } from '../generated-ids';
import { ImportError } from '../import-error';
import { SESSION_GAP_SECONDS } from '../page-view/view-fields';
import type { LineSink } from './read-lines';

/** The fields in their order, with their columns. An empty number means 0. */
const FIELDS: readonly { readonly name: string; readonly column?: string; readonly number?: true }[] = [
  { name: 'reader_id', column: 'reader_id', number: true },
  { name: 'UAos', column: 'os' },
  { name: 'UAbrowser', column: 'browser' },
  { name: 'url', column: 'url' },
  { name: 'title', column: 'title' },
  { name: 'device_id', column: 'device_type' },
  { name: 'utm_source', column: 'utm_source' },
  { name: 'source_domain', column: 'source_domain' },
  { name: 'utm_medium', column: 'utm_medium' },
  { name: 'utm_campaign', column: 'utm_campaign' },
  { name: 'session_no', number: true },
  { name: 'access_time', column: 'access_time' },
  { name: 'pv', column: 'pv' },
  { name: 'speed_msec', column: 'speed_msec', number: true },
  { name: 'browse_sec', column: 'browse_sec', number: true },
  { name: 'is_last', column: 'is_last', number: true },
  { name: 'is_newuser', column: 'is_newuser', number: true },
];
const HEADER = FIELDS.map(({ name }) => name).join('\t');
const WHOLE = /^\d{1,9}$/;

/** A reader of the lines of one file. It throws an ImportError for a wrong header. */
export function qaTsvLines(sink: LineSink): (text: string, line: number) => void {
  const sessionOf = sessionIds();
  let headerRead = false;
  return (ended, line) => {
    const text = ended.replace(/\r$/, '');
    if (!headerRead) {
      if (text !== HEADER)
        throw new ImportError(`must be the header ${HEADER.replaceAll('\t', ' ')}`, { line });
      headerRead = true;
      return;
    }
    if (text === '') return;
    const cells = text.split('\t');
    if (cells.length !== FIELDS.length) {
      const reason = `has ${cells.length} fields; an export has ${FIELDS.length}, with tabs between them`;
      sink.broken(text, line, reason);
      return;
    }
    const row: Record<string, string> = {};
    let sessionNo = '';
    for (const [place, { name, column, number }] of FIELDS.entries()) {
      const value = cells[place] || (number ? '0' : '');
      if (name === 'session_no') sessionNo = value;
      // An empty pv is left out: the view gets its place from its session.
      else if (column !== undefined && value !== '') row[column] = value;
    }
    if (!WHOLE.test(sessionNo)) {
      sink.broken(text, line, 'session_no must be a whole number');
      return;
    }
    const session_id = sessionOf(`${row.reader_id} ${sessionNo}`, row.access_time ?? '', row.pv);
    sink.row({ ...row, session_id }, line);
  };
}

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
function sessionIds(): (key: string, time: string, pv: string | undefined) => number {
  // Day of the first view, seconds from there to the last one, and its place, as one number.
  const open = boundedMap(OPEN_SESSIONS, OPEN_CHARACTERS);
  return (key, time, pv) => {
    const at = secondsOf(time);
    const day = Math.floor(at / DAY);
    const known = open.get(key) ?? Number.NaN;
    const lastPlace = known % PLACES;
    const knownDay = Math.floor(known / PLACES / SECONDS);
    const pause = at - knownDay * DAY - (Math.floor(known / PLACES) % SECONDS);
    const isNext =
      pv === undefined ? pause >= 0 && pause <= SESSION_GAP_SECONDS : Number(pv) === lastPlace + 1;
    const first = day - knownDay === 1 && isNext ? knownDay : day;
    const place = pv === undefined ? (first === knownDay ? lastPlace : 0) + 1 : Number(pv);
    // An unreadable time is rejected with its row later on.
    if (place < PLACES && !Number.isNaN(first)) {
      open.set(key, (first * SECONDS + Math.floor(at - first * DAY)) * PLACES + place);
    }
    return idOf(`${key} ${first}`);
  };
}

/** The local time as if it were UTC; NaN if it cannot be read. */
function secondsOf(time: string): number {
  const exact = Date.parse(`${time.slice(0, 19).replace(' ', 'T')}Z`);
  return (Number.isNaN(exact) ? Date.parse(time.slice(0, 10)) : exact) / 1000;
}

/** 52 bits of a hash, within the ids that a file may give. */
function idOf(text: string): number {
  const digest = createHash('sha256').update(text).digest();
  return ((digest.readUIntBE(0, 6) * 16 + ((digest[6] ?? 0) >> 4)) % LAST_GIVEN_ID) + 1;
}
