// The context of a loader in one import.
import type { Knex } from 'knex';
import type { Client } from 'pg';
import type { Manifest, Material } from '../../../manifests/reader/manifest';
import type { ConflictRule, DuplicateRule } from './conflict-rules';
import type { ImportLimits } from './limits';
import type { TimeParser } from './parse-time';

export interface LoaderContext {
  /** The connection of the import's transaction, which holds the site lock. */
  readonly client: Client;
  /** For changes that must be committed outside that transaction. */
  readonly write: Knex;
  readonly manifest: Manifest;
  readonly material: Material;
  readonly siteId: number;
  readonly parseTime: TimeParser;
  readonly limits: ImportLimits;
  /** The transaction will be rolled back: nothing may be committed outside it. */
  readonly isDry: boolean;
  /** Whether a view without browse_sec gets the time until the next view in its visit. */
  readonly browseSec: boolean;
  readonly onConflict: ConflictRule;
  readonly duplicates: DuplicateRule;
  /** Part of the identity of rows without an id. */
  readonly sourceName: string | undefined;
  /** The id of the import, if it can be undone later. */
  readonly importId: number | undefined;
  /** Set if the rows have been waiting: those whose view is still missing continue to wait, unchanged. */
  readonly isPlacing?: true;
}
