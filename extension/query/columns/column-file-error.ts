import { types } from 'node:util';

/** Problems that retrying does not solve. `crashed`: reading the copy crashed the process twice. */
export const OBSTACLES = ['in use', 'not loaded', 'crashed'] as const;
type Obstacle = (typeof OBSTACLES)[number];

/** The message states the reason in a full sentence. */
export class ColumnsUnavailable extends Error {
  override readonly name = 'ColumnsUnavailable';

  constructor(
    message: string,
    cause: unknown,
    readonly obstacle: Obstacle | undefined,
  ) {
    super(message, { cause });
  }
}

/** The previous process exited while it was using the file. A damaged file can cause that. */
export class CopyCrashed extends Error {
  override readonly name = 'CopyCrashed';

  constructor(work: 'opening' | 'reading' | 'writing') {
    super(`The previous server process exited while it was ${work} the columnar copy.`);
  }
}

/** DuckDB rejected a statement or the file. */
export class ColumnFileError extends Error {
  override readonly name = 'ColumnFileError';

  constructor(cause: Error) {
    super(cause.message, { cause });
  }

  get kind(): string {
    return this.message.split(':', 1)[0] ?? '';
  }

  get isFatal(): boolean {
    return (
      /^(FATAL|INTERNAL|Serialization)/.test(this.kind) ||
      /invalidated|corrupt|not a valid DuckDB|enough bytes/i.test(this.message)
    );
  }
}

/** DuckDB throws plain Errors, possibly from another realm. */
export const asColumnFileError = (error: unknown): unknown =>
  types.isNativeError(error) ? new ColumnFileError(error) : error;

export function throwColumnFileError(error: unknown): never {
  throw asColumnFileError(error);
}
