// Owns how far back the demo site goes.
export const DEMO_DAYS = 90;
