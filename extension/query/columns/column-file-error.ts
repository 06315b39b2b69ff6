// Why the column copy cannot be used, or could not do something.
import { types } from 'node:util';

/** What a retry does not solve: another process has the copy open, DuckDB is missing, or reading the copy ended the process twice. */
export const OBSTACLES = ['in use', 'not loaded', 'crashed'] as const;
type Obstacle = (typeof OBSTACLES)[number];

/** Why the copy cannot be used; the message is a sentence. */
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

/** The last process ended while it worked on the file, which a damaged one can cause. */
export class CopyCrashed extends Error {
  override readonly name = 'CopyCrashed';

  constructor(work: 'opened' | 'read' | 'wrote') {
    super(`The last server ended while it ${work} the column copy.`);
  }
}

/** DuckDB refused a statement or the file. */
export class ColumnFileError extends Error {
  override readonly name = 'ColumnFileError';

  constructor(cause: Error) {
    super(cause.message, { cause });
  }

  /** As DuckDB names it: `Out of Memory Error`. */
  get kind(): string {
    return this.message.split(':', 1)[0] ?? '';
  }

  /** Whether the file, or the engine that has it open, is unusable. */
  get isFatal(): boolean {
    return (
      /^(FATAL|INTERNAL|Serialization)/.test(this.kind) ||
      /invalidated|corrupt|not a valid DuckDB|enough bytes/i.test(this.message)
    );
  }
}

/** DuckDB throws plain Errors, of a global scope that may not be ours. */
export const asColumnFileError = (error: unknown): unknown =>
  types.isNativeError(error) ? new ColumnFileError(error) : error;

export function throwColumnFileError(error: unknown): never {
  throw asColumnFileError(error);
}
