// Owns the error of a manifest that cannot be used.
// Faults of one file in -> one error that lists them all. It stops the start: it is never an answer to a caller.

/** One thing wrong in a manifest: `path` is the place, as in `materials.allpv.columns.url.via`. */
export interface ManifestFault {
  readonly path: string;
  readonly message: string;
}

/** A manifest file cannot be used; the message has one line for each fault: file, place, what would be right. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';

  constructor(
    readonly file: string,
    readonly faults: readonly ManifestFault[],
  ) {
    super(faults.map((fault) => `${file}: ${fault.path}: ${fault.message}`).join('\n'));
  }
}
