// What readers keep between two chunks of a file: an incomplete record, in any format.

/** An incomplete string. Its parts are joined once, at its end. */
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
