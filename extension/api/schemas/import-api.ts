import { z } from 'zod';
import type { RouteDefinition } from '../../../host-shim/extension-api';
import { OPT_INS } from '../../../manifests/reader/format-schema';
import { CONFLICT_RULES } from '../../data/import/conflict-rules';
import { RECORDED_REJECTIONS, STATUSES } from '../../data/import/import-record';
import { IMPORTABLE } from '../../data/import/loaders';
import { bodyJsonSchema, jsonContent, type Operation, openApi, parametersOf } from './open-api';

export const PREVIEW_ROWS = 20;
export const MAX_ID = 2_147_483_647;

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
      'Name of a format, or "log:" followed by a pattern; by default, the format is detected from the start of the body.',
    ),
  delimiter: z.string().optional().describe('The CSV delimiter, such as ";".'),
  map: z.string().optional().describe('Maps fields of the body to columns: created_at=access_time,page=url.'),
  set: z.string().optional().describe('Columns with the same value in every row: search_type=image.'),
  enable: z
    .array(z.enum(OPT_INS))
    .default([])
    .describe('Kinds of records to import that are left out by default.'),
  timezone: z.string().optional().describe('Time zone for times without an offset, such as Europe/Berlin.'),
  on_error: z
    .enum(['stop', 'skip'])
    .default('stop')
    .describe('stop: one invalid row stops the import, and nothing is imported; skip: skips invalid rows.'),
  on_conflict: z
    .enum(CONFLICT_RULES)
    .default('replace')
    .describe('What to do with rows that are already stored with different values.'),
  dry_run: z
    .boolean()
    .default(false)
    .describe(
      `Checks everything, writes nothing, and shows the first ${PREVIEW_ROWS} rows as they would be stored.`,
    ),
  source: z
    .string()
    .max(100)
    .optional()
    .describe(
      'Distinguishes identical rows without ids that come from different places, such as the logs of two servers.',
    ),
  file: z.string().max(200).optional().describe('File name to show in the list of imports.'),
});
export type ImportValues = z.output<typeof IMPORT_INPUT>;

const rejectedRow = z.object({
  file: z.string().nullable().describe('null if the import has one file.'),
  line: z.int(),
  column: z.string().nullable().describe('null if the whole row is invalid.'),
  value: z.string().nullable().describe('May be shortened.'),
  reason: z.string(),
});

const rejected_rows = z
  .array(rejectedRow)
  .readonly()
  .describe(`The first ${RECORDED_REJECTIONS} rejected rows.`);

const counts = {
  read: z.int(),
  added: z.int(),
  updated: z.int(),
  kept: z.int(),
  unchanged: z.int(),
  rejected: z.int(),
  waiting: z.int().describe('Clicks and events that arrived before their page view and are waiting for it.'),
  skipped: z
    .record(z.string(), z.int())
    .describe('The number of rows that the format skips, for each reason.'),
};

export const IMPORT_REPORT = z.object({
  import_id: z.int().nullable().describe('null after a dry run.'),
  status: z.enum(['done', 'dry run']),
  format: z.string(),
  site: z.string(),
  material: z.string(),
  ...counts,
  rejected_rows,
  seconds: z.number(),
  warning: z.string().nullable(),
  preview: z
    .array(z.record(z.string(), z.unknown()))
    .readonly()
    .optional()
    .describe('Only after a dry run: the first rows as they would be stored.'),
});

export const RECORDED_IMPORT = z.object({
  import_id: z.int(),
  status: z
    .enum(STATUSES)
    .describe(
      'partial: some files of a command are stored, and error explains why the others are not; following: a log is being followed.',
    ),
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
    .describe(
      'Whether the replaced values are still stored. Later imports of the same rows must be undone first.',
    ),
  undone_at: z.string().nullable(),
  undone_by: z.string().nullable(),
});
export const IMPORT_WITH_ROWS = RECORDED_IMPORT.extend({ rejected_rows });
export const UNDO_REPORT = z.object({
  import_id: z.int(),
  site: z.string(),
  material: z.string(),
  removed: z
    .record(z.string(), z.int())
    .describe(
      'The number of removed rows of each material; clicks and events are removed with their page view.',
    ),
  restored: z.int().describe('Rows whose earlier values were restored.'),
  removed_before: z.int().describe('Rows from the import that had already been removed; they stay removed.'),
});
export const IMPORT_LIST = z.object({
  imports: z.array(RECORDED_IMPORT),
  older: z
    .int()
    .nullable()
    .describe('To get the next page of the list, send this value as the parameter "before".'),
});

const BODY_TYPES = ['application/x-ndjson', 'text/csv', 'text/plain', 'application/octet-stream'];

const ROWS = {
  required: true,
  description: 'Rows, which may be compressed with Content-Encoding: gzip. QAL_IMPORT_MB limits their size.',
  content: Object.fromEntries(BODY_TYPES.map((type) => [type, { schema: { type: 'string' } }])),
};

const REJECTED = z.object({
  code: z.string(),
  message: z.string(),
  data: z.looseObject({ status: z.int() }),
});

const response = (description: string, schema: z.ZodType) => ({
  description,
  content: jsonContent(bodyJsonSchema(schema)),
});

const operationOf = (route: RouteDefinition): Operation => ({
  route,
  parameters: Object.values(parametersOf(route)),
  ...(route.checkedBy === 'host' && route.body === 'stream' && { requestBody: ROWS }),
  responses: {
    ...Object.fromEntries(
      Object.entries(route.output ?? {}).map(([status, schema]) => [status, response('Done.', schema)]),
    ),
    default: response('Rejected.', REJECTED),
  },
});

export const importOpenApi = (routes: readonly RouteDefinition[]): object =>
  openApi({
    info: { title: 'QAL analytics: imports', version: '1' },
    server: '.',
    operations: routes.map(operationOf),
  });
