// The schema of files in formats/: how to recognize another tool's files and convert their records to rows.
import { z } from 'zod';
import { isLinearRegex } from './linear-regex';

/** Functions that compute a stored value from fields of a record. */
const TRANSFORMS = [
  'action_params',
  'address',
  'country_of_name',
  'event_params',
  'exported_referrer',
  'exported_session',
  'first_known',
  'first_path',
  'joined',
  'known_country',
  'language',
  'link_selector',
  'name_without_version',
  'os_family',
  'page_address',
  'position_from_sum',
  'requested_address',
  'search_date',
  'search_page',
  'search_query',
  'visit_instant',
  'whole_number',
] as const;
export type TransformName = (typeof TRANSFORMS)[number];

const RECORD_TESTS = [
  'bot',
  'no_request',
  'not_get',
  'other_host',
  'other_url',
  'static_file',
  'truncated_list',
] as const;
export type RecordTest = (typeof RECORD_TESTS)[number];

/** Import options, each of which disables a reason to skip records. */
export const OPT_INS = ['bots', 'static', 'http-errors', 'http-redirects', 'other-hosts'] as const;
export type OptIn = (typeof OPT_INS)[number];

const text = z.string().min(1);
const regex = z
  .string()
  .refine(isLinearRegex, 'must be an RE2 regular expression, without lookaround or backreferences');

const condition = z.union([
  z.strictObject({ from: text, in: z.array(z.string()).min(1) }),
  z.strictObject({ from: text, not_in: z.array(z.string()).min(1) }),
  z.strictObject({ from: text, matches: regex }),
  z.strictObject({ from: text, is: z.enum(RECORD_TESTS) }),
]);
export type RecordCondition = z.infer<typeof condition>;

const columnSource = z.union([
  text,
  z.strictObject({
    from: z.union([text, z.array(text).min(1)]),
    as: z.enum(TRANSFORMS).optional(),
    words: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    /** The value for words that `words` does not list: none, the word itself, or a number. */
    otherwise: z.union([z.enum(['null', 'same']), z.number()]).default('null'),
    /** If this condition does not hold, the column has no value. */
    when: condition.optional(),
  }),
  z.strictObject({ value: z.union([z.string(), z.number()]) }),
]);
export type ColumnSource = z.infer<typeof columnSource>;

const skipRules = z
  .array(z.strictObject({ where: condition, because: text, unless: z.enum(OPT_INS).optional() }))
  .default([]);

/** Log lines that contain no record and do not match the pattern. */
const skipLines = z.array(z.strictObject({ matches: regex, because: text })).default([]);

const materialRule = z.strictObject({
  where: z.array(condition).default([]),
  /** Records that match `where` but cannot be imported into this material. */
  skip: skipRules,
  each: text.optional(),
  traffic: z.enum(['view', 'visit']).default('visit'),
  duplicates: z.enum(['refuse', 'last', 'sum']).default('refuse'),
  browse_sec: z.literal('next view').optional(),
  columns: z.record(z.string(), columnSource),
});
export type MaterialRule = z.infer<typeof materialRule>;

const recognised = z.strictObject({
  file: regex.optional(),
  header: z.array(z.string()).min(1).optional(),
  keys: z.array(z.string()).min(1).optional(),
  line: regex.optional(),
});

const shared = { about: text, recognised: recognised.optional() };
const layout = z.enum(['csv', 'ndjson', 'json', 'log', 'w3c']);

const rules = {
  ...shared,
  pattern: text.optional(),
  timezone: text.optional(),
  /** Maps the name that the rules use for a field to its name in the file, if different. */
  fields: z.record(z.string(), text).default({}),
  skip: skipRules,
  skip_lines: skipLines,
};

export const formatFileSchema = z.union([
  z.strictObject({ ...shared, refuse: text }),
  /** Whatever the file leaves out is taken from another format. The file's own skip rules come first. */
  z.strictObject({
    ...rules,
    like: text,
    layout: layout.optional(),
    materials: z
      .record(z.string(), z.strictObject({ columns: z.record(z.string(), columnSource) }))
      .default({}),
  }),
  z.strictObject({
    ...rules,
    layout,
    delimiter: z.string().length(1).default(','),
    quoted: z.boolean().default(true),
    exact_header: z.boolean().default(false),
    records: z.string().optional(),
    /** A key by which a document is recognized that omits `records` because there are none. */
    without_records: z.string().optional(),
    own_columns: z.enum(['complete', 'exact']).optional(),
    materials: z.record(z.string(), materialRule).default({}),
  }),
]);
export type FormatFile = z.infer<typeof formatFileSchema>;
