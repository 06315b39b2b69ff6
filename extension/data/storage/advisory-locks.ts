import type { Knex } from 'knex';

/** The first (or only) keys of the extension's locks. The host's keys begin with 7411. */
export const LOCKS = {
  /** Held by imports and other changes to a site's data. The second key is the site's id. */
  site: 7_216_001,
  /** For the sites table. */
  sites: 7_216_002,
  /** For adding to dimension tables that all sites share. */
  sharedTexts: 7_216_003,
  /** Held in shared mode by a running import. The second key is the import's id. */
  import: 7_216_004,
  /** For measuring stored sizes. */
  storedSizes: 7_216_005,
  /** For limits on how many rows a user or site may have. The second key is the id of that user or site. */
  limit: 7_216_090,
} as const;

/** Prevents parallel requests from exceeding a limit on how many rows a user or site may have: makes them wait for each other. */
export const lockLimit = (transaction: Knex, id: number): Promise<unknown> =>
  transaction.raw('SELECT pg_advisory_xact_lock(?, ?)', [LOCKS.limit, id]);
