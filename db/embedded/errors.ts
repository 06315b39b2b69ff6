// The errors of the embedded server; their messages are written for people.

const WAY_OUT =
  'Set DATABASE_URL to a PostgreSQL server of your own (15 or newer), for example postgres://user:password@localhost:5432/qal.';

/** The embedded server cannot work here; the message says why and what to do. */
export class EmbeddedServerError extends Error {
  override readonly name: string = 'EmbeddedServerError';
}

/** Another process answers requests from this data directory. */
export class DirectoryInUseError extends EmbeddedServerError {
  override readonly name = 'DirectoryInUseError';

  constructor(
    readonly directory: string,
    readonly holder: string,
  ) {
    super(
      `The data directory ${directory} is served by ${holder}. Stop that server first, or set DATA_DIR to another directory.`,
    );
  }
}

/** An EmbeddedServerError that ends with the advice to use one's own server. */
export function cannotRunHere(reason: string): EmbeddedServerError {
  return new EmbeddedServerError(`The embedded PostgreSQL cannot run here: ${reason} ${WAY_OUT}`);
}

/** The `code` of an error, such as ENOENT or 57P03. Does not ask for its class, which differs between realms. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
