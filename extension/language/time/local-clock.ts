// Offsets alone, so that nobody who reads them asks a list of zones again.

/** What local clocks show over a range: offsets in seconds east of UTC, each until an instant. */
export type LocalClock = readonly { readonly until: number | null; readonly seconds: number }[];
