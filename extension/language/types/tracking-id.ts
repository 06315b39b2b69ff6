/** The same rule as the site table's. */
export const TRACKING_ID = /^[a-zA-Z0-9_-]+$/;
