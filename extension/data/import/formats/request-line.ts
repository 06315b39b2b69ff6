// The line that a browser sends first: `GET /tea HTTP/1.1`.

interface RequestLine {
  readonly method: string;
  /** The path with its query, or a complete URL if the request went to a proxy. */
  readonly path: string;
}

const METHOD = /^[A-Z]+$/;
const ADDRESS = /^(?:\/|https?:\/\/[^\s/])/;

/** Whether the text is only the target of a request line: a path or a whole URL. */
export const isAddress = (text: string): boolean => ADDRESS.test(text);

/** Method and path; undefined for anything else. */
export function requestOf(text: string): RequestLine | undefined {
  const end = text.lastIndexOf(' HTTP/');
  const space = text.indexOf(' ');
  if (end <= space) return undefined;
  const [method, path] = [text.slice(0, space), text.slice(space + 1, end)];
  return METHOD.test(method) && isAddress(path) ? { method, path } : undefined;
}
