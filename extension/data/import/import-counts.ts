/** Who imports, and through which channel. */
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
  /** Rows that the format skips: reason -> count. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly rejected: number;
  /** Clicks and events that came before their page view, and wait for it. */
  readonly waiting: number;
}

/** The counts without the other fields of a report or record. */
export const onlyCounts = (counts: ImportCounts): ImportCounts => {
  const { read, added, updated, kept, unchanged, skipped, rejected, waiting } = counts;
  return { read, added, updated, kept, unchanged, skipped, rejected, waiting };
};
