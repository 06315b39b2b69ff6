// The sizes that keep the importer's memory flat and its turns of the event loop short.

// Bounds of one record. Each is checked before the step that takes longer by it, because a record is read in one turn of the
// event loop.

/** Characters of a line, and of a CSV record with the line breaks inside its cells. */
export const LONGEST_LINE = 1_000_000;
/** Characters of a line of a log. Servers refuse longer requests. */
export const LONGEST_LOG_LINE = 65_536;
/** Characters of an element of a JSON document: a visit with all its actions may be one. */
export const LONGEST_ELEMENT = 4_000_000;
/** Values of a JSON record: parsing takes longer by their number than by their length. */
export const MOST_VALUES = 50_000;
/** Levels of a JSON record: whatever walks through a value or writes it is recursive. */
export const MOST_LEVELS = 1_000;
/** Columns of a header, and keys of a JSON object. Each is looked up by its name, and by near names if it is unknown. */
export const MOST_COLUMNS = 2_000;
/** Characters of a list of pairs: fields as columns, or columns with their values. It has at most MOST_COLUMNS pairs. */
export const LONGEST_PAIRS = 65_536;
/** Characters of the parameters of an event. */
export const LONGEST_PARAMS = 65_536;
/** Quotes inside of a CSV cell: parameters as JSON have the most. */
export const MOST_QUOTES = LONGEST_PARAMS;
/** Characters of a user agent that are looked at for its browser, or for a bot. */
export const LONGEST_AGENT = 2_048;
/** Characters of a log line that are read again to find the end of an open value. */
export const MOST_READ_AGAIN = 4_000_000;

/** Tests pass small ones to reach every edge. */
export interface ImportLimits {
  /** Rows of a batch: they are read, sorted and copied together. */
  readonly batchRows: number;
  /** New page views that are derived and written together, so that few visits cross a border. */
  readonly pieceRows: number;
  /** Characters of text that fill a batch, however few its rows are. */
  readonly batchCharacters: number;
  /** Characters of text in one statement. */
  readonly statementCharacters: number;
  /** Texts that the ids of one dimension are cached for, and their total length. */
  readonly dimensionEntries: number;
  readonly dimensionCharacters: number;
  /** Readers, and sessions, whose last view is remembered. */
  readonly knownKeys: number;
  /** Numbers of the rows of a file that are kept in memory. */
  readonly fileRows: number;
  /** Fingerprints among which equal rows are counted. */
  readonly rowHashes: number;
  /** Bytes of a file once it is unpacked. */
  readonly unpackedBytes: number;
  /** Rejected rows, behind which the import stops. */
  readonly rejectedRows: number;
}

export const IMPORT_LIMITS: ImportLimits = {
  batchRows: 16_384,
  pieceRows: 65_536,
  batchCharacters: 4_000_000,
  statementCharacters: 2_000_000,
  dimensionEntries: 120_000,
  dimensionCharacters: 2_000_000,
  knownKeys: 360_000,
  fileRows: 2_000_000,
  rowHashes: 180_000,
  // A command is the administrator's own; an upload has the limits of its settings.
  unpackedBytes: Number.POSITIVE_INFINITY,
  rejectedRows: Number.POSITIVE_INFINITY,
};

/** In a server, which answers queries between two batches: each keeps it busy for some 20 milliseconds. */
export const SERVER_IMPORT_LIMITS: ImportLimits = {
  ...IMPORT_LIMITS,
  batchRows: 1024,
  batchCharacters: 500_000,
};
