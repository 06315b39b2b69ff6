// Owns the two failures of an import: a bad value of a row, and an import that cannot go on.
// Place and reason in -> one sentence out. A BadValue becomes a rejected row with `skip`; an ImportError always stops.

/** A fault of one row. `column` is absent where the row as a whole is wrong. */
export class BadValue extends Error {
  readonly column: string | undefined;
  readonly value: unknown;

  constructor(column: string | undefined, value: unknown, reason: string) {
    super(reason);
    this.name = 'BadValue';
    this.column = column;
    this.value = value;
  }
}

/** Where in the file the import stopped. */
export interface FaultPlace {
  readonly line?: number;
  readonly column?: string;
  readonly value?: unknown;
}

/** An import that stopped; nothing of its file remains. */
export class ImportError extends Error {
  readonly place: FaultPlace;

  constructor(reason: string, place: FaultPlace = {}) {
    super(sentence(reason, place));
    this.name = 'ImportError';
    this.place = place;
  }
}

/** A value as it is shown in messages: short. What is inside lists and objects is not: it may nest without end. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return '[...]';
  if (typeof value === 'object' && value !== null) return '{...}';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

function sentence(reason: string, place: FaultPlace): string {
  const where = [
    place.line === undefined ? [] : [`Line ${place.line}`],
    place.column === undefined ? [] : [`column ${place.column}`],
    'value' in place && place.column !== undefined ? [`value ${showValue(place.value)}`] : [],
  ].flat();
  return where.length === 0 ? reason : `${where.join(', ')}: ${reason}`;
}
