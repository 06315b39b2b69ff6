// The failures of an import: a bad value, which may become a rejected row, and an import that cannot go on.

/** A fault of one row. `column` is undefined if the row as a whole is wrong. */
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

/** Where in the file the import stopped. */
interface FaultPlace {
  readonly line?: number;
  readonly column?: string;
  readonly value?: unknown;
}

/** An import that stopped. Nothing of its file remains. */
export class ImportError extends Error {
  override readonly name: string = 'ImportError';

  constructor(
    reason: string,
    readonly place: FaultPlace = {},
    cause?: unknown,
  ) {
    super(sentence(reason, place), { cause });
  }
}

/** The database went away during an import. The message says what became of the file. */
export class ConnectionLost extends ImportError {
  override readonly name = 'ConnectionLost';

  constructor(reason: string, cause: unknown) {
    super(reason, {}, cause);
  }
}

const LONGEST_VALUE = 120;

/** A value as messages show it: short, and without the inside of lists and objects, which may nest without end. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return '[...]';
  if (typeof value === 'object' && value !== null) return '{...}';
  // A line of a million quotes would take 15 ms to write in full.
  const short = typeof value === 'string' ? value.slice(0, LONGEST_VALUE) : value;
  const text = JSON.stringify(short) ?? String(short);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 3)}...` : text;
}

function sentence(reason: string, place: FaultPlace): string {
  const where = [
    ...(place.line === undefined ? [] : [`Line ${place.line}`]),
    ...(place.column === undefined ? [] : [`column ${place.column}`]),
    ...('value' in place && place.column !== undefined ? [`value ${showValue(place.value)}`] : []),
  ];
  return where.length === 0 ? reason : `${where.join(', ')}: ${reason}`;
}
