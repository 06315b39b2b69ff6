// The status of a copy: reported by the server that has it open, and saved in its folder for the command line. The command line
// leaves its request for a new copy there.
import { access, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { OBSTACLES } from './column-file-error';
import { foundDifference } from './found-differences';

const underWaySchema = z.object({
  trackingId: z.string(),
  table: z.string(),
  /** Copied so far. */
  rows: z.number(),
  /** All rows of the site, during a full copy. */
  of: z.number().optional(),
});
export type UnderWay = z.infer<typeof underWaySchema>;

const statusSchema = z.object({
  state: z.enum(['opening', 'ready', 'unavailable', 'stopped']),
  /** Why it is unavailable, as a sentence. */
  reason: z.string().optional(),
  /** A problem that making a new copy would not solve. */
  obstacle: z.enum(OBSTACLES).optional(),
  sites: z
    .array(z.object({ siteId: z.number(), version: z.string(), number: z.number(), copiedAt: z.number() }))
    .readonly(),
  /** On disk. */
  bytes: z.number(),
  /** In all tables. */
  rows: z.number(),
  /** Whether the precomputed counts of distinct values cover all rows. */
  isCounted: z.boolean().default(false),
  underWay: underWaySchema.optional(),
  /** The last time that it became unavailable. */
  lastFault: z.object({ at: z.iso.datetime(), reason: z.string() }).optional(),
  /** When the audit last finished comparing everything. */
  auditedAt: z.iso.datetime().optional(),
  /** Differences from PostgreSQL that have been found, newest first. */
  differences: z.array(foundDifference).readonly().default([]),
});
export type ColumnsStatus = z.infer<typeof statusSchema>;

/** The status of a running server's copy, for the command line. */
export const STATUS_FILE = 'status.json';

/** The status that the server of a folder last saved, if any. */
export async function readSavedStatus(folder: string): Promise<ColumnsStatus | undefined> {
  const text = await readFile(join(folder, STATUS_FILE), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : statusSchema.parse(JSON.parse(text));
}

/** Returns a function that writes a status if it has changed. Write errors are ignored; opening the copy reports them. */
export function statusWriter(folder: string): (status: ColumnsStatus) => Promise<void> {
  const file = join(folder, STATUS_FILE);
  let written = '';
  let writtenSites: ColumnsStatus['sites'] | undefined;
  return async ({ sites, ...status }) => {
    const text = JSON.stringify(status);
    // Comparing thousands of sites would be slow, but the array stays the same as long as none of them changes.
    if (text === written && sites === writtenSites) return;
    written = text;
    writtenSites = sites;
    await writeFile(`${file}.new`, JSON.stringify({ ...status, sites }))
      .then(() => rename(`${file}.new`, file))
      .catch(() => {});
  };
}

/** A file of this name in the copy's folder asks for a new copy. */
export const REBUILD_REQUEST = 'rebuild';

export const isRebuildAsked = (folder: string): Promise<boolean> =>
  access(join(folder, REBUILD_REQUEST)).then(
    () => true,
    () => false,
  );
