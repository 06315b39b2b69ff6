// Owns the export file of a migrating user: 17 fields a line between tabs, nothing quoted, local time, numbers or nothing.
// Lines in -> rows of page views. A session has no id there: it is known by its reader, the local day of its first view
// and its number on that day; the id made of these is the same in every file.
import { createHash } from 'node:crypto';
import { boundedMap } from '../bounded-maps';
import { LAST_GIVEN_ID } from '../generated-ids';
import { ImportError } from '../import-error';
import { SESSION_GAP_SECONDS } from '../page-view/view-fields';
import type { LineSink } from './read-lines';

/** Fields of a line in their order, and the columns that take them. */
const FIELDS = [
  ['reader_id', 'reader_id'],
  ['UAos', 'os'],
  ['UAbrowser', 'browser'],
  ['url', 'url'],
  ['title', 'title'],
  ['device_id', 'device_type'],
  ['utm_source', 'utm_source'],
  ['source_domain', 'source_domain'],
  ['utm_medium', 'utm_medium'],
  ['utm_campaign', 'utm_campaign'],
  ['session_no', undefined],
  ['access_time', 'access_time'],
  ['pv', 'pv'],
  ['speed_msec', 'speed_msec'],
  ['browse_sec', 'browse_sec'],
  ['is_last', 'is_last'],
  ['is_newuser', 'is_newuser'],
] as const;
const HEADER = FIELDS.map(([name]) => name).join('\t');
/** Where nothing is written 0 is meant. */
const NUMBERS: ReadonlySet<string> = new Set([
  'reader_id',
  'session_no',
  'pv',
  'speed_msec',
  'browse_sec',
  'is_last',
  'is_newuser',
]);

const WHOLE = /^\d{1,9}$/;
/** Sessions that may go on: as many texts as a dimension remembers. */
const OPEN_SESSIONS = 120_000;
const OPEN_CHARACTERS = 4_000_000;

/** A reader of the lines of one file. */
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
      sink.broken(
        text,
        line,
        `has ${cells.length} fields; an export has ${FIELDS.length}, with tabs between them`,
      );
      return;
    }
    const row: Record<string, string> = {};
    const given: Record<string, string> = {};
    FIELDS.forEach(([name, column], place) => {
      const cell = cells[place] ?? '';
      const value = cell === '' && NUMBERS.has(name) ? '0' : cell;
      given[name] = value;
      // A view without a place gets it from its session.
      const open = value === '' || (name === 'pv' && cell === '');
      if (column !== undefined && !open) row[column] = value;
    });
    const { reader_id = '', session_no = '', access_time = '' } = given;
    if (!WHOLE.test(session_no)) {
      sink.broken(text, line, 'session_no must be a whole number');
      return;
    }
    const session_id = sessionOf(`${reader_id} ${session_no}`, access_time, row.pv);
    sink.row({ ...row, session_id }, line);
  };
}

const DAY = 86_400;
const PLACES = 100_000;
const SECONDS = 2 * DAY;

/**
 * The ids of sessions. A view that goes on where the reader's session of that number stopped the day before belongs to
 * it, so that midnight does not cut a session; but for that a session begins on the day of its view. A view goes on by
 * its place, or, where it has none, when it comes soon enough.
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
    // A time that is none is refused with its row.
    if (place < PLACES && !Number.isNaN(first)) {
      open.set(key, (first * SECONDS + Math.floor(at - first * DAY)) * PLACES + place);
    }
    return idOf(`${key} ${first}`);
  };
}

/** The clock on the wall, as if it stood in UTC. */
function secondsOf(time: string): number {
  const exact = Date.parse(`${time.slice(0, 19).replace(' ', 'T')}Z`);
  return (Number.isNaN(exact) ? Date.parse(time.slice(0, 10)) : exact) / 1000;
}

/** 52 bits of a hash, within the ids that a file may give. */
function idOf(text: string): number {
  const digest = createHash('sha256').update(text).digest();
  return ((digest.readUIntBE(0, 6) * 16 + ((digest[6] ?? 0) >> 4)) % LAST_GIVEN_ID) + 1;
}
