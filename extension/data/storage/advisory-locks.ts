import type { Knex } from 'knex';

/** The first or only keys of the extension's locks. Those of the host begin with 7411. */
export const LOCKS = {
  /** Held by imports and other changes to a site's data, with the id of the site. */
  site: 7_216_001,
  /** For the table of sites. */
  sites: 7_216_002,
  /** For adding to dimension tables that all sites share. */
  sharedTexts: 7_216_003,
  /** Held in shared mode by a running import, with its number. */
  import: 7_216_004,
  /** For measuring stored sizes. */
  storedSizes: 7_216_005,
  /** For counting the rows that a user or a site may have, with the id of that user or site. */
  limit: 7_216_090,
} as const;

/** Parallel requests cannot exceed a limit on the rows of a user or site: the others wait until the transaction ends. */
export const lockLimit = (transaction: Knex, id: number): Promise<unknown> =>
  transaction.raw('SELECT pg_advisory_xact_lock(?, ?)', [LOCKS.limit, id]);
