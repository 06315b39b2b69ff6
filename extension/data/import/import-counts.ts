// Who imports, and how far an import is.
/** Who imports, and through what. */
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
  /** Rows that are stored with other values, and stay so (`onConflict: 'keep'`). */
  readonly kept: number;
  /** Rows that were stored already. */
  readonly unchanged: number;
  /** Rows that the format leaves out: reason -> how many. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly rejected: number;
  /** Clicks and events that came before their page view, and wait for it. */
  readonly waiting: number;
}
