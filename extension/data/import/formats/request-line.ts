// The line that a browser sends first: `GET /tea HTTP/1.1`.

interface RequestLine {
  readonly method: string;
  /** The path with its query, or a complete URL if the request went to a proxy. */
  readonly path: string;
}

const REQUEST = /^[A-Z]+ (?:\/|https?:\/\/[^\s/])/;

/** Only the target of a request line: a path or a whole URL. */
export const isAddress = (text: string): boolean => /^(?:\/|https?:\/\/[^\s/])/.test(text);

/** Method and path; undefined for anything else. */
export function requestOf(text: string): RequestLine | undefined {
  const end = text.lastIndexOf(' HTTP/');
  const space = text.indexOf(' ');
  if (end <= space || !REQUEST.test(text)) return undefined;
  return { method: text.slice(0, space), path: text.slice(space + 1, end) };
}
