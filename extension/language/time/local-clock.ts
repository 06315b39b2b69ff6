/** The local clock over a range: offsets in seconds east of UTC, each until an instant. */
export type LocalClock = readonly { readonly until: number | null; readonly seconds: number }[];
