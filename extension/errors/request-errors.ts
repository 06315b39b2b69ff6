// Owns the part of the error table about the request as a whole: body, site, materials, time.
import { entry, type Received } from './error-entry';
import { didYouMean, list, quote } from './wording';

/** Where a key belongs that stands in the wrong object. */
type Belongs =
  | { readonly to: 'address'; readonly version: unknown }
  | { readonly to: 'qal' | 'result or sort' | 'join mode' | 'grouping' | 'having' };

function wordBelongs(belongs: Belongs): string {
  switch (belongs.to) {
    case 'address': {
      const version = typeof belongs.version === 'string' ? belongs.version.slice(0, 10) : 'latest';
      return `The version stands in the address: POST /query?version=${version}.`;
    }
    case 'qal':
      return 'Move it into "qal", or take it out.';
    case 'join mode':
      return 'There are two kinds of join: "if not match": "keep-left" and "if not match": "drop".';
    case 'grouping':
      return 'Take it out: with a calc, there is one row for each different combination of the kept columns.';
    case 'having':
      return 'Take it out: a calc is filtered in a further view that reads from this one.';
    case 'result or sort':
      return 'Write "result": {"limit": ...}, or "sort": {..., "top": ...} in the view.';
  }
}

/** What to write for a key of `time`, or for the whole of it. */
const TIME_HINTS: ReadonlyMap<string, string> = new Map([
  [
    'time',
    'Write "time": {"start": "2026-05-01T00:00:00", "end": "2026-06-01T00:00:00", "tz": "Asia/Tokyo"}: start counts, end does not.',
  ],
  ['start', 'In "time" write the first second that counts, such as "start": "2026-05-01T00:00:00".'],
  ['end', 'In "time" write the first second that does not count, such as "end": "2026-06-01T00:00:00".'],
  ['tz', 'In "time" write the zone of start and end, such as "tz": "Asia/Tokyo".'],
]);

export const REQUEST_ERRORS = {
  invalid_version: entry<{ received: string; available: readonly string[] }>(
    404,
    'The `version` parameter names no contract of this server.',
    ({ received, available }) => ({
      message: `There is no version ${quote(received)} here.`,
      hint: `Use version=latest, version=oldest or one of ${list(available)}.`,
      details: { available_versions: available },
    }),
  ),
  E_INVALID_JSON: entry<
    | { problem: 'syntax'; line: number; column: number; empty: boolean }
    | { problem: 'not-object'; received: unknown }
    | { problem: 'repeated-key' | 'reserved-key'; key: string }
    | { problem: 'encoding'; reason: string }
    | { problem: 'number' }
  >(400, 'The body is not JSON, not an object, or repeats a key outside `make`.', (p) => {
    switch (p.problem) {
      case 'syntax':
        return {
          message: `The body is not valid JSON: line ${p.line}, column ${p.column}.`,
          hint: p.empty ? 'The body is empty: send the query as JSON.' : undefined,
          details: { line: p.line, column: p.column },
        };
      case 'not-object':
        return {
          message: `The body must be one JSON object, but it is ${quote(p.received)}.`,
          hint: 'Send {"qal": {"tracking_id": ..., "materials": [...], "time": {...}, "make": {...}, "result": {...}}}.',
        };
      case 'repeated-key':
        return {
          message: `The key ${quote(p.key)} stands twice in one object.`,
          hint: 'JSON readers disagree on which of the two counts: keep one of them.',
        };
      case 'encoding':
        return { message: p.reason, hint: 'Send UTF-8 JSON with Content-Type: application/json.' };
      case 'number':
        return {
          message: 'The number is larger than any that JSON readers hold.',
          hint: 'Write a number below 1e308.',
        };
      case 'reserved-key':
        return { message: `The key ${quote(p.key)} cannot be used.`, hint: 'Choose another name.' };
    }
  }),
  E_MISSING_FIELD: entry<{ key: string; example: string }>(
    400,
    'A required top-level key other than `time` is absent.',
    ({ key, example }) => ({
      message: `The query has no ${quote(key)}.`,
      hint: `Add ${quote(key)}: ${example}.`,
    }),
  ),
  E_UNKNOWN_FIELD: entry<{
    key: string;
    allowed: readonly string[];
    nearest?: string | undefined;
    belongs?: Belongs | undefined;
  }>(
    400,
    'An unknown key at the top, in a material, a view, `time`, `join` or a pair of `join.on`; `qal` beside other keys.',
    ({ key, allowed, nearest, belongs }) => ({
      message: `${quote(key)} is not a key of this object; its keys are ${list(allowed)}.`,
      hint: belongs === undefined ? undefined : wordBelongs(belongs),
      example: didYouMean(nearest),
    }),
  ),
  E_ALIAS_FORBIDDEN: entry<undefined>(400, '`as` in a material or a view.', () => ({
    message: 'QAL has no "as".',
    hint: 'Take "as" out: materials keep their own names, and a calc is named by its key.',
  })),
  E_UNKNOWN_TRACKING_ID: entry<{
    received: unknown;
    available: readonly { readonly tracking_id: string; readonly domain: string }[];
    nearest?: string | undefined;
  }>(
    400,
    'The `tracking_id` is none of the sites that the user may see.',
    ({ received, available, nearest }) => ({
      message: `There is no site ${quote(received)} among your sites.`,
      hint:
        didYouMean(nearest) ??
        (available.length === 0
          ? 'No site is granted to you: ask the administrator.'
          : `Your sites: ${list(available.map((site) => site.tracking_id))}.`),
      details: { tracking_id: received, available_sites: available },
    }),
  ),
  E_UNKNOWN_MATERIAL: entry<
    | ({ problem: 'shape' } & Received)
    | {
        problem: 'unknown';
        received: string;
        available: readonly string[];
        nearest?: string | undefined;
        /** What there is of them, where a goal was named. */
        goals?: readonly string[] | undefined;
      }
    | { problem: 'not-listed'; received: string; listed: readonly string[] }
    | { problem: 'not-for-all'; received: string; available: readonly string[] }
  >(
    400,
    '`materials` is not a list of names, is empty, or names a material that the contract or the site does not have; `from` names one that is not listed; `all` with a material that needs one site.',
    (p) => {
      switch (p.problem) {
        case 'shape':
          return {
            message: `"materials" must be a list of objects with a name, but here stands ${quote(p.received)}.`,
            example: 'Write "materials": [{"name": "allpv"}].',
          };
        case 'unknown':
          return {
            message: `There is no material ${quote(p.received)}.`,
            hint:
              p.goals === undefined
                ? (didYouMean(p.nearest) ?? `The materials are ${list(p.available)}.`)
                : `Goals here: ${list(p.goals)}.`,
            details: { material: p.received, available_materials: p.available },
          };
        case 'not-listed':
          return {
            message: `The material ${quote(p.received)} is not listed in "materials".`,
            hint: `Add {"name": ${quote(p.received)}} to "materials", which lists ${list(p.listed)}.`,
            details: { material: p.received, available_materials: p.listed },
          };
        case 'not-for-all':
          return {
            message: `The material ${quote(p.received)} needs one site; it cannot be asked of "all".`,
            hint: `supports_all of ${quote(p.received)} is false: name one tracking_id of the guide instead of "all".`,
            details: { material: p.received, available_materials: p.available },
          };
      }
    },
  ),
  E_TIME_REQUIRED: entry<{ key: string; received: unknown }>(
    400,
    '`time`, or one of its keys, is absent or not text.',
    ({ key, received }) => ({
      message:
        key === 'time'
          ? `"time" must be an object with start, end and tz, but it is ${quote(received)}.`
          : `time.${key} must be text, but here stands ${quote(received)}.`,
      hint: TIME_HINTS.get(key),
      details: { field: key, required_fields: ['start', 'end', 'tz'] },
    }),
  ),
  E_INVALID_TZ: entry<{ received: string }>(
    400,
    '`time.tz` is not a full IANA time zone name.',
    ({ received }) => ({
      message: `${quote(received)} is not a full IANA time zone name.`,
      example: 'Write a name such as "Asia/Tokyo", "Europe/Berlin" or "UTC".',
    }),
  ),
  E_INVALID_TIME_RANGE: entry<
    | {
        problem: 'format';
        received: string;
        /** What was written without its offset, and the offset. */
        offset?: { readonly key: string; readonly local: string; readonly offset: string } | undefined;
      }
    | { problem: 'end'; received: string; from: string; after: string }
    | { problem: 'order'; start: string; end: string }
  >(400, '`time.start` or `time.end` is not a real local date-time, or the range is empty.', (p) => {
    switch (p.problem) {
      case 'format':
        return {
          message: `${quote(p.received)} is not a local date-time of the form YYYY-MM-DDTHH:mm:ss.`,
          hint:
            p.offset &&
            `Times are read in "tz" and have no offset of their own: write "${p.offset.key}": "${p.offset.local}", and a "tz" that has the offset ${p.offset.offset}${p.offset.offset === 'Z' ? ', "UTC"' : ''}.`,
          example: 'Write a real date without an offset, such as "2026-05-01T00:00:00".',
        };
      case 'end':
        return {
          message: `${quote(p.received)} is not a local date-time of the form YYYY-MM-DDTHH:mm:ss.`,
          hint: `The end does not count: to have all of ${quote(p.received.trim())} write "end": "${p.after}", to leave it out write "end": "${p.from}".`,
        };
      case 'order':
        return {
          message: `The range is empty: its end ${p.end} is not after its start ${p.start}.`,
          hint: 'The end is exclusive: for the whole of May write "2026-05-01T00:00:00" to "2026-06-01T00:00:00".',
        };
    }
  }),
};
