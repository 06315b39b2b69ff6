// Reads the case files, which specify the language: each case is a query with the rows or the error that it returns. `view` and
// `filter` are short forms for a query with a single view `v`.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';

const json = z.unknown();

const caseSchema = z.strictObject({
  title: z.string(),
  as: z.enum(['administrator', 'analyst', 'nobody']).default('administrator'),
  query: z.record(z.string(), json).optional(),
  query_text: z.string().optional(),
  view: json.optional(),
  filter: json.optional(),
  body: z.string().optional(),
  without: z.array(z.string()).optional(),
  nested: z.int().optional(),
  views: z.int().optional(),
  list: z.int().optional(),
  columns: z.array(z.string()).optional(),
  rows: z.array(z.array(json)).optional(),
  ids: z.array(z.int()).optional(),
  count: z.int().optional(),
  meta: z.record(z.string(), json).optional(),
  // If absent, the answer has no notes.
  notes: z
    .array(z.strictObject({ at: z.string(), message: z.string(), hint: z.string().optional() }))
    .optional(),
  error: z
    .strictObject({
      code: z.string(),
      at: z.string().optional(),
      // null if the error has no hint.
      hint: z.string().nullable().optional(),
      details: json.optional(),
      // The changed keys of the corrected query, with the same short forms. Absent if no corrected query is returned.
      repaired: z.record(z.string(), json).optional(),
    })
    .optional(),
});

export type QueryCase = z.infer<typeof caseSchema> & { readonly topic: string; readonly body: string };

const DEFAULTS = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
  make: { v: { from: ['allpv'], keep: ['allpv.pv_id'] } },
  result: { use: 'v' },
};

function bodyOf(it: z.infer<typeof caseSchema>): string {
  const text = it.body ?? it.query_text;
  if (text !== undefined) return text;
  if (it.nested !== undefined) return '['.repeat(it.nested) + ']'.repeat(it.nested);
  const view = it.filter === undefined ? it.view : { ...DEFAULTS.make.v, filter: it.filter };
  const many = Object.fromEntries(
    Array.from({ length: it.views ?? 0 }, (_, i) => [`v${i}`, DEFAULTS.make.v]),
  );
  const listed = { ...DEFAULTS.make.v, filter: { pv_id: Array.from({ length: it.list ?? 0 }, (_, i) => i) } };
  const make =
    it.views !== undefined
      ? many
      : it.list !== undefined
        ? { v: listed }
        : view === undefined
          ? DEFAULTS.make
          : { v: view };
  const query = { ...DEFAULTS, make, ...it.query };
  return JSON.stringify(
    Object.fromEntries(Object.entries(query).filter(([key]) => it.without?.includes(key) !== true)),
  );
}

const known = new Map<string, readonly QueryCase[]>();

/** All cases in a folder. Reading them takes a long time, so each process reads a folder once. */
export function readCases(folder: string): readonly QueryCase[] {
  const cases = known.get(folder) ?? parseCases(folder);
  known.set(folder, cases);
  return cases;
}

/** The topic of a case is the path of its file without the extension. */
function parseCases(folder: string): readonly QueryCase[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.yaml'),
  );
  return files.sort().flatMap((file) => {
    const cases = z.array(caseSchema).parse(load(readFileSync(join(folder, file), 'utf8')));
    return cases.map((it) => ({
      ...it,
      topic: relative('.', file).replace(/\.yaml$/, ''),
      body: bodyOf(it),
    }));
  });
}

/** Whether an error depends on the database, where the site is looked up and sums are calculated. */
export const isRefusedByData = ({ error }: Pick<QueryCase, 'error'>): boolean =>
  error?.code === 'E_UNKNOWN_TRACKING_ID' ||
  (error?.at === 'make.v' && error.code === 'E_CALC_INVALID_EXPRESSION') ||
  (error?.at === 'make.v.fill_periods' && error.code === 'E_QUERY_TOO_LARGE');
