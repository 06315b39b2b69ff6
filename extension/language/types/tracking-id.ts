/** The same rule as in the site table. */
export const TRACKING_ID = /^[a-zA-Z0-9_-]+$/;
