/** Who runs an import, and through which channel. */
export interface ImportedBy {
  /** `local` for a command. */
  readonly login: string;
  readonly through: 'command' | 'http' | 'page';
}

export interface ImportProgress {
  readonly bytes: number;
  readonly read: number;
}

export interface ImportCounts {
  readonly read: number;
  readonly added: number;
  /** Rows that changed a stored row. */
  readonly updated: number;
  /** Rows that differ from the stored ones, which are kept (`onConflict: 'keep'`). */
  readonly kept: number;
  /** Rows that were already stored. */
  readonly unchanged: number;
  /** The number of rows that the format skips, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly rejected: number;
  /** Clicks and events that came before their page view, and are waiting for it. */
  readonly waiting: number;
}

/** The counts that are single numbers; each has its own column in the record. */
export const COUNTS = ['read', 'added', 'updated', 'kept', 'unchanged', 'rejected', 'waiting'] as const;

/** Adds up the counts of reports or records, without their other fields. Missing counts are 0. */
export function addCounts(all: readonly Partial<ImportCounts>[]): ImportCounts {
  const sums = { read: 0, added: 0, updated: 0, kept: 0, unchanged: 0, rejected: 0, waiting: 0 };
  const skipped: Record<string, number> = {};
  for (const counts of all) {
    for (const name of COUNTS) sums[name] += counts[name] ?? 0;
    for (const [reason, rows] of Object.entries(counts.skipped ?? {}))
      skipped[reason] = (skipped[reason] ?? 0) + rows;
  }
  return { ...sums, skipped };
}
