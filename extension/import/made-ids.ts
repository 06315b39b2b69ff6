// Owns the ranges of ids: given by a file, counted up here, or derived from a given session.
// The ranges never meet, so a made id is never mistaken for a given one; all stay below 2^53.

/** The largest id that a file may give. */
export const LAST_GIVEN_ID = 3_999_999_999_999_999;
/** The first id that is made here; they count up within a site. */
export const FIRST_MADE_ID = 4_000_000_000_000_001;
/** A visitor known by nothing but a given session gets this plus the session's id. */
export const SESSION_READER_BASE = 5_000_000_000_000_000;
