// A row as its format read it, and what it was read from.

/** An object, or cells in the order of the header. */
export type RawRow = Readonly<Record<string, unknown>> | readonly unknown[];

/** For reports: the text of its line, which may be JSON, or cells and objects as they were read. */
export type Origin = { readonly text: string; readonly isJson: boolean } | { readonly row: unknown };
