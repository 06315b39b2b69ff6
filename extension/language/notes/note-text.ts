/** A note. The browser reads it from JSON. */
interface NoteText {
  readonly at?: unknown;
  readonly message?: unknown;
  readonly hint?: unknown;
}

/** A note as one line. */
export const noteText = ({ at, message, hint }: NoteText): string =>
  [`Note at ${at}: ${message}`, ...(hint === undefined ? [] : [hint])].join(' ');
