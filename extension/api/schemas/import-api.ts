// Parameters and responses of the import routes.
import { z } from 'zod';
import { OPT_INS } from '../../../manifests/reader/format-schema';
import { CONFLICT_RULES } from '../../data/import/conflict-rules';
import { RECORDED_REJECTIONS } from '../../data/import/import-record';
import { IMPORTABLE } from '../../data/import/loaders';

export const PREVIEW_ROWS = 20;
export const LARGEST_ID = 2_147_483_647;

export const IMPORT_INPUT = z.strictObject({
  material: z
    .string()
    .regex(/^[a-z0-9_]+$/)
    .describe(`What the rows are: ${IMPORTABLE.join(', ')}.`),
  site: z.string().describe('Tracking id of the site.'),
  format: z
    .string()
    .max(2000)
    .optional()
    .describe(
      'Name of a format, or log: with a pattern; without it, recognised by the beginning of the body.',
    ),
  delimiter: z.string().optional().describe('Of CSV, such as ;.'),
  map: z
    .string()
    .optional()
    .describe('Fields of the body as columns of ours: created_at=access_time,page=url.'),
  set: z.string().optional().describe('Columns with one value for every row: search_type=image.'),
  enable: z
    .array(z.enum(OPT_INS))
    .default([])
    .describe('Records to import although the format leaves them out as a rule.'),
  timezone: z.string().optional().describe('Zone of times without an offset, such as Europe/Berlin.'),
  on_error: z
    .enum(['stop', 'skip'])
    .default('stop')
    .describe('stop: one wrong row and nothing is imported; skip: wrong rows are left out.'),
  on_conflict: z
    .enum(CONFLICT_RULES)
    .default('replace')
    .describe('What happens to rows that are stored with other values.'),
  dry_run: z
    .boolean()
    .default(false)
    .describe(
      `Checks everything, writes nothing, shows the first ${PREVIEW_ROWS} rows as they would be stored.`,
    ),
  source: z
    .string()
    .max(100)
    .optional()
    .describe('Keeps apart rows without an id from different places, such as the logs of two servers.'),
  file: z.string().max(200).optional().describe('Name of the file, for the list of imports.'),
});
export type ImportValues = z.output<typeof IMPORT_INPUT>;

const REJECTED_ROW = z.object({
  line: z.int(),
  column: z.string().nullable().describe('null: the row as a whole.'),
  value: z.string().nullable().describe('Shortened.'),
  reason: z.string(),
});

const counts = {
  read: z.int(),
  added: z.int(),
  updated: z.int(),
  kept: z.int(),
  unchanged: z.int(),
  rejected: z.int(),
  skipped: z.record(z.string(), z.int()).describe('Reason -> rows that the format leaves out.'),
};

export const IMPORT_REPORT = z.object({
  import_id: z.int().nullable().describe('null for a dry run.'),
  status: z.enum(['done', 'dry run']),
  format: z.string(),
  site: z.string(),
  material: z.string(),
  ...counts,
  rejected_rows: z.array(REJECTED_ROW).readonly().describe(`The first ${RECORDED_REJECTIONS} of them.`),
  seconds: z.number(),
  warning: z.string().nullable(),
  preview: z
    .array(z.record(z.string(), z.unknown()))
    .readonly()
    .optional()
    .describe('Of a dry run: the first rows as they would be stored.'),
});

export const RECORDED_IMPORT = z.object({
  import_id: z.int(),
  status: z.enum(['running', 'done', 'failed', 'undone']),
  site: z.string(),
  material: z.string(),
  file: z.string(),
  source: z.string().nullable(),
  format: z.string(),
  login: z.string(),
  through: z.enum(['command', 'http', 'page']),
  started_at: z.string(),
  seconds: z.number(),
  bytes: z.number(),
  ...counts,
  error: z.string().nullable(),
  can_undo: z
    .boolean()
    .describe('Whether it is still known what it replaced. Later imports of the same rows are undone first.'),
  undone_at: z.string().nullable(),
  undone_by: z.string().nullable(),
});
export const IMPORT_WITH_ROWS = RECORDED_IMPORT.extend({
  rejected_rows: z.array(REJECTED_ROW).readonly().describe(`The first ${RECORDED_REJECTIONS} of them.`),
});
export const UNDO_REPORT = z.object({
  import_id: z.int(),
  site: z.string(),
  material: z.string(),
  removed: z
    .record(z.string(), z.int())
    .describe('Material -> rows that were removed; clicks and events go with their page view.'),
  restored: z.int().describe('Rows that have their earlier values again.'),
  removed_before: z.int().describe('Rows of the import that had been removed before; they stay away.'),
});
export const IMPORT_LIST = z.object({
  imports: z.array(RECORDED_IMPORT),
  older: z.int().nullable().describe('The parameter before of the next part.'),
});
