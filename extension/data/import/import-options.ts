// The options of an import, and its report.
import type { Readable } from 'node:stream';
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import type { OptIn } from '../../../manifests/reader/format-schema';
import type { SourceFormat } from '../../../manifests/reader/formats';
import type { Manifest } from '../../../manifests/reader/manifest';
import type { Workers } from '../storage/workers';
import type { ConflictRule, DuplicateRule } from './conflict-rules';
import type { PlaceOf } from './derive/place-of-address';
import type { ImportCounts, ImportedBy, ImportProgress } from './import-counts';
import type { ImportError } from './import-error';
import type { ImportLimits } from './limits';
import type { PreviewRow } from './preview-rows';
import type { RejectedRow } from './rejected-rows';
import type { RunRecord } from './run-record';

export const UNDOABLE_IMPORTS = 10;

/** Options shared by files that are imported together. */
export interface JointOptions {
  readonly write: Knex;
  /** Undefined if no worker is watched. */
  readonly workers?: Workers | undefined;
  readonly manifest: Manifest;
  readonly material: string;
  /** Tracking id of the site. */
  readonly site: string;
  /**
   * The name of a format, `log:` with a pattern, or a custom format; detected from the beginning of the
   * file if omitted.
   */
  readonly format?: string | SourceFormat | undefined;
  readonly delimiter?: string | undefined;
  /** Columns of the material by field in the file, in addition to the format's mapping. */
  readonly renamed?: ReadonlyMap<string, string> | undefined;
  /** Columns that have the same value in every row, with that value. */
  readonly constants?: ReadonlyMap<string, string> | undefined;
  /** Kinds of records to import that the format skips by default. */
  readonly optIns?: ReadonlySet<OptIn>;
  /** Looks up the location of an IP address, if known. */
  readonly placeOf?: PlaceOf | undefined;
  /** Where the rows come from, for the record of imports: the name of a file. */
  readonly source: string;
  /** Distinguishes rows without an id that come from different places, such as the logs of two servers. */
  readonly sourceName?: string | undefined;
  /** Who runs the import; a local command by default. */
  readonly by?: ImportedBy;
  /** Time zone of times without an offset. */
  readonly timezone?: string | undefined;
  readonly onError: 'stop' | 'skip';
  /** `replace` by default. */
  readonly onConflict?: ConflictRule | undefined;
  /** `refuse` by default. */
  readonly duplicates?: DuplicateRule;
  /** Reads and checks everything, writes nothing, and reports this many of the first rows as they would be stored. */
  readonly dryRun?: { readonly rows: number } | undefined;
  /** Waits for a running import into the site instead of throwing an error. */
  readonly wait?: boolean;
  /** How many of the site's newest imports can be undone; 10 by default. */
  readonly undoableImports?: number;
  readonly clock: () => Date;
  readonly signal?: AbortSignal;
  readonly limits?: ImportLimits;
  /** The record that this transaction shares with others. Default: a separate record. */
  readonly record?: RunRecord;
  /** Whether more files of the record follow. */
  readonly continues?: boolean;
  onProgress?(progress: ImportProgress): void;
  /** Called with the import's id once its record exists. */
  onRecorded?(importId: number): void;
  /** Additional writes in the import's transaction, after its rows are written. If it throws, the import stops. */
  alsoWrite?(client: ClientBase, siteId: number): Promise<void>;
}

/** Options for importing a single file. */
export interface ImportOptions extends JointOptions {
  readonly input: Readable;
  /** Name of the file, which may help to detect its format. */
  readonly fileName?: string | undefined;
  onRejected?(row: RejectedRow): void | Promise<void>;
}

/** One file of an import, which may have several. */
export interface ImportedFile {
  /** May be used to detect the format. */
  readonly name?: string | undefined;
  /** The file's name in messages and rejected rows, if the record has several files. */
  readonly label?: string | undefined;
  /** May be called again if a later file fails. */
  open(): Promise<Readable>;
  onRejected?(row: RejectedRow): void | Promise<void>;
}

export interface JointReport extends ImportReport {
  /** How many of the files were imported. The others need a separate transaction, or the first of them failed. */
  readonly files: number;
  readonly failure?: ImportError;
}

export interface ImportReport extends ImportCounts {
  /** The id of its record; undefined for a dry run. */
  readonly importId: number | undefined;
  /** The name of the file's format. */
  readonly format: string;
  readonly seconds: number;
  /** Describes a failure or a probable mistake that did not prevent the import. */
  readonly warning?: string;
  /** The first rows as they would be stored, if requested. */
  readonly preview?: readonly PreviewRow[];
}
