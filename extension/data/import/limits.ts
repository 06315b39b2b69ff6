// The limits that keep the importer's memory constant and its turns of the event loop short.

// Limits of one record. Each is checked before the step whose time depends on it, because a record is read in
// one turn of the event loop.

/** Characters in a line, or in a CSV record including the line breaks in its cells. */
export const MAX_LINE_LENGTH = 1_000_000;
/** Characters in a log line. Servers refuse longer requests. */
export const MAX_LOG_LINE_LENGTH = 65_536;
/** Characters in an element of a JSON document, such as a visit with all its actions. */
export const MAX_ELEMENT_LENGTH = 4_000_000;
/** Values in a JSON record: the time to parse them depends more on their number than on their length. */
export const MAX_VALUES = 50_000;
/** Levels in a JSON record: walking through a value and writing it are recursive. */
export const MAX_LEVELS = 1_000;
/**
 * Columns in a header, and keys in a JSON object. Each is looked up by its name, and by similar names if it is unknown.
 */
export const MAX_COLUMNS = 2_000;
/**
 * Characters in a list of pairs (fields as columns, or columns with their values), which has at most
 * MAX_COLUMNS pairs.
 */
export const MAX_PAIRS_LENGTH = 65_536;
/** Characters in the parameters of an event. */
export const MAX_PARAMS_LENGTH = 65_536;
/** Quotes inside a CSV cell: parameters in JSON contain the most. */
export const MAX_QUOTES = MAX_PARAMS_LENGTH;
/** Characters of a user agent that are examined to find its browser, or a bot. */
export const MAX_AGENT_LENGTH = 2_048;
/** Characters of a log line that are scanned again to find the end of an open value. */
export const MAX_READ_AGAIN = 4_000_000;

/**
 * Batches that may wait for the database. Together with the one being filled, they have as many rows as a piece of page views, which
 * takes longer to write than to read.
 */
export const BATCHES_AHEAD = 3;

export const IMPORT_LIMITS = {
  /** Rows in a batch, which are read, sorted and copied together. */
  batchRows: 16_384,
  /** New page views that are derived and written together, so that few visits cross a boundary. */
  pieceRows: 65_536,
  /**
   * Rows about the states of pages that are collected before the pages are updated. Within a transaction, PostgreSQL keeps all
   * versions of a row, and each update of a page would have to search the versions from earlier pieces.
   */
  pageStateRows: 1_000_000,
  /** The number of characters of text at which a batch is full, even if it has few rows. */
  batchCharacters: 4_000_000,
  /** Strings of one dimension whose ids are cached, and their total length. */
  dimensionEntries: 120_000,
  dimensionCharacters: 2_000_000,
  /** Ids and line numbers of a file's rows that are kept in memory. */
  fileRows: 2_000_000,
  /** Fingerprints among which identical rows are counted. */
  rowHashes: 180_000,
  /** Bytes of a file after decompression. Commands are run by the administrator; uploads have the limits in the settings. */
  unpackedBytes: Number.POSITIVE_INFINITY,
  /** Rejected rows; the import stops if there are more. */
  rejectedRows: Number.POSITIVE_INFINITY,
};

/** Tests use small limits to reach all of them. */
export type ImportLimits = Readonly<typeof IMPORT_LIMITS>;

/** For a server, which answers queries between batches: each batch keeps it busy for about 20 milliseconds. */
export const SERVER_IMPORT_LIMITS: ImportLimits = {
  ...IMPORT_LIMITS,
  batchRows: 1024,
  batchCharacters: 500_000,
};
