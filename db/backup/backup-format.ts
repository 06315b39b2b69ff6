// A backup is one gzip file of text, which any gunzip can open. Its lines are the header as JSON; then for each table a line
// of JSON, its rows as PostgreSQL's COPY writes them, and `\.`; at last the end as JSON, with the SHA-256 of all lines before.
import { z } from 'zod';

/** Raised when an older program could no longer read the file. */
export const FORMAT = 1;

/** What the first line says that the file is. */
export const KIND = 'qal backup';

/** The line after the rows of a table: no row can be written like this. */
export const END_OF_ROWS = '\\.';

export const headerSchema = z.object({
  file: z.literal(KIND),
  format: z.number(),
  /** Of the program that wrote it, and of its database. */
  program: z.string(),
  postgresql: z.string(),
  createdAt: z.iso.datetime(),
  /** Schema -> its migrations, in the order in which they were applied. */
  migrations: z.record(z.string(), z.array(z.string())),
  sequences: z.array(
    z.object({ schema: z.string(), name: z.string(), last: z.string(), isCalled: z.boolean() }),
  ),
});
export type BackupHeader = z.infer<typeof headerSchema>;

export const tableSchema = z.object({
  schema: z.string(),
  table: z.string(),
  columns: z.array(z.string()).min(1),
});
export type BackupTable = z.infer<typeof tableSchema>;

export const endSchema = z.object({
  /** Rows of each table, in the order of the tables. */
  rows: z.array(z.number()),
  sha256: z.string(),
});
export type BackupEnd = z.infer<typeof endSchema>;

/** A backup cannot be written, read or restored; the message is a sentence. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
