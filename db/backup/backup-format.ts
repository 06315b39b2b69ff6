// A backup is a gzip file of text. Its lines are the header as JSON; then for each table a line of JSON, its rows in the format
// of PostgreSQL's COPY, and `\.`; and finally the end as JSON, with the SHA-256 of all preceding lines.
import { z } from 'zod';

/** Incremented for changes that older programs cannot read. */
export const FORMAT = 1;

export const KIND = 'qal backup';

/** The line after the rows of a table. No row can look like it. */
export const END_OF_ROWS = '\\.';

/** Safe to print on terminals. */
const plain = z.string().regex(/^[ -~]{0,200}$/);
const migration = z.string().regex(/^[\w-]{1,100}$/);
const name = z.string().regex(/^\w{1,63}$/);
/** Not one of PostgreSQL's own schemas. */
const schema = z.string().regex(/^(?!pg_|information_schema$)\w{1,63}$/);

export const formatSchema = z.object({
  file: z.literal(KIND),
  format: z.int().min(1),
  program: plain,
});

export const headerSchema = z
  .strictObject({
    ...formatSchema.shape,
    postgresql: plain,
    createdAt: z.iso.datetime(),
    /** Schema -> its migrations, in the order in which they were applied. */
    migrations: z.record(schema, z.array(migration)),
    sequences: z.array(
      z.strictObject({ schema, name, last: z.string().regex(/^-?\d{1,19}$/), isCalled: z.boolean() }),
    ),
  })
  .refine(({ migrations }) => Object.values(migrations).some((names) => names.length > 0))
  .refine(({ migrations, sequences }) => sequences.every((one) => Object.hasOwn(migrations, one.schema)));
export type BackupHeader = z.infer<typeof headerSchema>;

export const tableSchema = z.strictObject({ schema, table: name, columns: z.array(name).min(1) });
export type BackupTable = z.infer<typeof tableSchema>;

export const endSchema = z.strictObject({
  /** Rows of each table, in table order. Early programs may have written 0 for tables with rows. */
  rows: z.array(z.int().min(0)),
  sha256: z.string(),
});
export type BackupEnd = z.infer<typeof endSchema>;

export class BackupError extends Error {
  override readonly name = 'BackupError';
}
