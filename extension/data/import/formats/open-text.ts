// The one bound of what readers keep between two pieces of a file: a record that is open, of any layout.

/** Characters of a line, and of a CSV record with the line breaks inside its cells. */
export const LONGEST_LINE = 1_000_000;
/** A visit with all its actions may be one element of a document. */
export const LONGEST_ELEMENT = 4_000_000;
/** Values of a JSON record: parsing takes longer by their number than by their length. */
const MOST_VALUES = 50_000;

/** Columns of a header, each of which is looked up by its name, and by near names where it is unknown. */
export const MOST_COLUMNS = 2_000;

/** Text that is open. Its parts are joined once, when it ends. */
interface OpenText {
  /** Returns false, and cuts the text off, where it would be longer than its bound. */
  add(part: string): boolean;
  /** The whole text; it is empty again behind it. */
  close(): string;
  isEmpty(): boolean;
}

export function openText(longest: number): OpenText {
  let parts: string[] = [];
  let length = 0;
  return {
    add(part) {
      if (length + part.length > longest) {
        parts.push(part.slice(0, longest - length));
        length = longest;
        return false;
      }
      length += part.length;
      if (part !== '') parts.push(part);
      return true;
    },
    close() {
      const text = parts.length === 1 ? (parts[0] ?? '') : parts.join('');
      parts = [];
      length = 0;
      return text;
    },
    isEmpty: () => length === 0,
  };
}

const [COMMA, LIST, OBJECT] = [44, 91, 123];

/** Whatever walks through a value or writes it is recursive. */
const MOST_LEVELS = 1_000;

const QUOTE = 34;
const BACKSLASH = 92;

function deepestIn(text: string): number {
  let levels = 0;
  let deepest = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInText = !isInText;
    else if (isInText) at += code === BACKSLASH ? 1 : 0;
    else if (code === LIST || code === OBJECT) deepest = Math.max(deepest, ++levels);
    else if (code === LIST + 2 || code === OBJECT + 2) levels -= 1;
  }
  return deepest;
}

/** Why a JSON record is not parsed, from its text alone; undefined if it is. */
export function jsonBoundFault(text: string): string | undefined {
  // A value has a character and what divides it from the next one; a level begins and ends.
  if (text.length < 2 * MOST_LEVELS) return undefined;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === LIST || code === OBJECT) values += 1;
  }
  if (values > MOST_VALUES) return `has more than ${MOST_VALUES} values`;
  return deepestIn(text) > MOST_LEVELS ? `nests more than ${MOST_LEVELS} levels deep` : undefined;
}
