import { createScanner, SyntaxKind } from 'jsonc-parser';

interface CurlTarget {
  readonly address: string;
  readonly login: string;
}

const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** JSON.parse would change the order of keys such as "1". */
function withoutSpaces(json: string): string {
  const scanner = createScanner(json, true);
  let text = '';
  for (let kind = scanner.scan(); kind !== SyntaxKind.EOF; kind = scanner.scan())
    text += json.slice(scanner.getTokenOffset(), scanner.getTokenOffset() + scanner.getTokenLength());
  return text;
}

/** One line for sh, with a placeholder for the application password. */
export const asCurl = (query: string, { address, login }: CurlTarget): string =>
  [
    'curl -sS',
    `-u ${quoteForShell(`${login}:APPLICATION PASSWORD`)}`,
    `-H ${quoteForShell('Content-Type: application/json')}`,
    `--data-raw ${quoteForShell(withoutSpaces(query))}`,
    quoteForShell(address),
  ].join(' ');
