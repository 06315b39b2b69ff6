// The failures of an import: an invalid value, which may lead to a rejected row, and an import that cannot continue.

/** An error in one row. `column` is undefined if the error concerns the whole row. */
export class BadValue extends Error {
  override readonly name = 'BadValue';

  constructor(
    readonly column: string | undefined,
    readonly value: unknown,
    reason: string,
  ) {
    super(reason);
  }
}

/** Reads a column's value with a parser, and converts the parser's RangeError to a BadValue. */
export function inColumn<V, T>(column: string, value: V, read: (value: V) => T): T {
  try {
    return read(value);
  } catch (error) {
    if (error instanceof RangeError) throw new BadValue(column, value, error.message);
    throw error;
  }
}

/** Returns the parsed value, or `otherwise` if the parser throws a RangeError. */
export function readOr<V, T, O>(read: (value: V) => T, value: V, otherwise: O): T | O {
  try {
    return read(value);
  } catch (error) {
    if (error instanceof RangeError) return otherwise;
    throw error;
  }
}

/** Where the import stopped. */
interface FaultPlace {
  /** The index of the file, if it may not be the one that was read last. */
  readonly file?: number;
  readonly line?: number;
  readonly column?: string | undefined;
  readonly value?: unknown;
}

/** Thrown when an import stops. Nothing from its file is stored. */
export class ImportError extends Error {
  override readonly name: string = 'ImportError';

  constructor(
    reason: string,
    readonly place: FaultPlace = {},
    cause?: unknown,
  ) {
    super(sentence(reason, place), { cause });
  }

  /** Adds the name of the file to the message. */
  in(file: string): this {
    this.message = `${file}: ${this.message}`;
    return this;
  }
}

/** The database became unavailable during an import. The message explains what happened to the file. */
export class ConnectionLost extends ImportError {
  override readonly name = 'ConnectionLost';

  constructor(reason: string, cause: unknown) {
    super(reason, {}, cause);
  }
}

const MAX_VALUE_LENGTH = 120;

/** A value as messages show it: short, and without the contents of lists and objects, which may be deeply nested. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return '[...]';
  if (typeof value === 'object' && value !== null) return '{...}';
  // A line of a million quotes would take 15 ms to write in full.
  const short = typeof value === 'string' ? value.slice(0, MAX_VALUE_LENGTH) : value;
  const text = JSON.stringify(short) ?? String(short);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH - 3)}...` : text;
}

function sentence(reason: string, place: FaultPlace): string {
  const where = [
    ...(place.line === undefined ? [] : [`Line ${place.line}`]),
    ...(place.column === undefined ? [] : [`column ${place.column}`]),
    ...(place.value !== undefined && place.column !== undefined ? [`value ${showValue(place.value)}`] : []),
  ];
  return where.length === 0 ? reason : `${where.join(', ')}: ${reason}`;
}
