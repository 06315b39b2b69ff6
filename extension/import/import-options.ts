// What an import is asked to do, and what it reports.
import type { Readable } from 'node:stream';
import type { Knex } from 'knex';
import type { Manifest } from '../../manifests/reader/manifest';
import type { Format } from './formats/read-rows';
import type { ImportLimits } from './limits';
import type { RejectedRow } from './rejected-rows';

/**
 * What happens to a row that is stored already, with other values: `replace` takes the values of the file and keeps what
 * the file does not give, `keep` leaves the stored row as it is, `refuse` rejects the row of the file.
 */
export const CONFLICT_RULES = ['replace', 'keep', 'refuse'] as const;
export type ConflictRule = (typeof CONFLICT_RULES)[number];

/**
 * Rows of one file with the same key and different values: `refuse` rejects the later one with both lines, `last` lets it
 * replace the earlier one, `sum` adds up figures and weights positions (search figures only). Equal ones always count once.
 */
export type DuplicateRule = 'refuse' | 'last' | 'sum';

/** Who imports, and through what. */
export interface ImportedBy {
  /** `local` for a command. */
  readonly login: string;
  readonly through: 'command' | 'http' | 'page';
}

/** What the importer derives for page views whose file tells about single views only. */
export interface DerivedColumns {
  /** Source, medium, campaign and content of a row are the view's own: the first view of the visit decides for all of it. */
  readonly visitSource: boolean;
  /** Where the file gives no browse_sec, it is the time until the next view of the visit. */
  readonly browseSec: boolean;
}

export interface ImportOptions {
  readonly write: Knex;
  readonly manifest: Manifest;
  readonly material: string;
  /** Tracking id of the site. */
  readonly site: string;
  readonly input: Readable;
  readonly format: Format;
  /** Where the rows come from, for the record of imports: the name of a file. */
  readonly source: string;
  /** Keeps apart rows without an id that come from different places, such as the logs of two servers. */
  readonly sourceName?: string;
  /** A local command by default. */
  readonly by?: ImportedBy;
  /** Time zone of times without an offset. */
  readonly timezone?: string;
  readonly onError: 'stop' | 'skip';
  /** `replace` by default. */
  readonly onConflict?: ConflictRule;
  /** `refuse` by default. */
  readonly duplicates?: DuplicateRule;
  /** Nothing by default. */
  readonly derive?: DerivedColumns;
  /** Reads and checks everything, writes nothing, and reports so many of the first rows as they would be stored. */
  readonly dryRun?: { readonly rows: number };
  /** Waits for a running import of the site instead of refusing. */
  readonly wait?: boolean;
  readonly clock: () => Date;
  readonly signal?: AbortSignal;
  readonly limits?: ImportLimits;
  onRejected?(row: RejectedRow): void | Promise<void>;
  onProgress?(progress: ImportProgress): void;
  /** Called with the number of the import when its record is there. */
  onRecorded?(importId: number): void;
  /** Called when all rows are written. If it throws, the import stops. */
  beforeCommit?(): void;
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
}

export interface ImportReport extends ImportCounts {
  /** Number of its record; undefined for a dry run. */
  readonly importId: number | undefined;
  readonly seconds: number;
  readonly rowsPerSecond: number;
  /** What failed although the rows are stored. */
  readonly warning?: string;
  /** The first rows as they would be stored, if asked for. */
  readonly preview?: readonly Readonly<Record<string, unknown>>[];
}
