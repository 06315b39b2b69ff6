// What a query is run with: everything that the phases do not find in the query itself.

import type { ReadPool } from '../../../host-shim/extension-api';
import type { Manifest } from '../../../manifests/reader/manifest';
import type { Contract } from './contract';
import type { SiteState } from './resolved-query';

/** A site of the user, as it was a moment ago: newer than the request, older than its statement. */
export interface SiteAhead {
  readonly trackingId: string;
  readonly state: SiteState;
}

export interface QueryContext {
  readonly contract: Contract;
  readonly manifest: Manifest;
  /** Tracking ids that the user may see. */
  readonly sites: 'all' | readonly string[];
  /** Read-only connections. */
  readonly database: ReadPool;
  /** Time zone names that a query may use. */
  readonly zones: ReadonlySet<string>;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  /** Count the rows of cut lists too, which costs reading them. */
  readonly alwaysCount: boolean;
  /** Whether rollups may be read instead of rows. */
  readonly rollups: boolean;
  /** The state of the site that the query names, where it was read on the way here. */
  readonly siteAhead?: SiteAhead | undefined;
  /** Names of passes to leave out, for tests and to see what a pass does. */
  readonly withoutPasses?: readonly string[];
}
