/** The same rule as in the table of sites. */
export const TRACKING_ID = /^[a-zA-Z0-9_-]+$/;
