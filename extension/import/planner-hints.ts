// Owns how statements of an import keep PostgreSQL's planner from trusting statistics that are older than the import.
// A site that is new to the statistics looks empty: any index that begins with the site then seems as good as the right one.

/**
 * The site `$1`, hidden from the planner: it reckons with a site of usual size, and searches by the whole key.
 * Write `site_id = ${ANY_SITE}` wherever many keys of one site are looked up.
 */
export const ANY_SITE = '(SELECT $1::smallint)';

/** The same in a statement without parameters. */
export const anySite = (siteId: number): string => `(SELECT ${siteId}::smallint)`;
