// A query as a command for a terminal: one line for sh, the secret left to fill in.
import { createScanner, SyntaxKind } from 'jsonc-parser';

export interface CurlTarget {
  /** Address of POST /query, with its parameters. */
  readonly address: string;
  readonly login: string;
}

const SECRET_PLACEHOLDER = 'APPLICATION PASSWORD';

/** A text as one word of sh. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** JSON without spaces and line ends between its tokens; keys keep their order, which parsing would change. */
function minified(json: string): string {
  const scanner = createScanner(json, true);
  let text = '';
  for (let kind = scanner.scan(); kind !== SyntaxKind.EOF; kind = scanner.scan())
    text += json.slice(scanner.getTokenOffset(), scanner.getTokenOffset() + scanner.getTokenLength());
  return text;
}

export function asCurl(query: string, { address, login }: CurlTarget): string {
  return [
    'curl -sS',
    `-u ${quoted(`${login}:${SECRET_PLACEHOLDER}`)}`,
    `-H ${quoted('Content-Type: application/json')}`,
    `--data-raw ${quoted(minified(query))}`,
    quoted(address),
  ].join(' ');
}
