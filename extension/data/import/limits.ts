// The sizes that keep the importer's memory flat. Tests pass small ones to reach every edge.
export interface ImportLimits {
  /** Rows of a batch: they are read, sorted and copied together. */
  readonly batchRows: number;
  /** Rows of open sessions that may wait for the next batch. */
  readonly heldRows: number;
  /** Characters of text that fill a batch, however few its rows are. */
  readonly batchCharacters: number;
  /** Characters of text in one statement. */
  readonly statementCharacters: number;
  /** Texts that the ids of one dimension are cached for, and their total length. */
  readonly dimensionEntries: number;
  readonly dimensionCharacters: number;
  /** Readers, and sessions, whose last view is remembered. */
  readonly knownKeys: number;
  /** Fingerprints among which equal rows are counted. */
  readonly rowHashes: number;
  /** Pages, and readers, whose newest values wait to be written. */
  readonly newestEntries: number;
  /** Bytes of a file once it is unpacked. */
  readonly unpackedBytes: number;
  /** Rejected rows, behind which the import stops. */
  readonly rejectedRows: number;
}

export const IMPORT_LIMITS: ImportLimits = {
  batchRows: 16_384,
  heldRows: 16_384,
  batchCharacters: 4_000_000,
  statementCharacters: 2_000_000,
  dimensionEntries: 120_000,
  dimensionCharacters: 2_000_000,
  knownKeys: 360_000,
  rowHashes: 180_000,
  newestEntries: 50_000,
  // A command is the administrator's own; an upload has the limits of its settings.
  unpackedBytes: Number.POSITIVE_INFINITY,
  rejectedRows: Number.POSITIVE_INFINITY,
};

/** In a server, which answers queries between two batches: each keeps it busy for some 20 milliseconds. */
export const SERVER_IMPORT_LIMITS: ImportLimits = {
  ...IMPORT_LIMITS,
  batchRows: 1024,
  heldRows: 512,
  batchCharacters: 500_000,
};
