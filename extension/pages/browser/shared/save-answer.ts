// Fetches an answer as a file and lets the browser save it.
import { element } from './elements';
import { parsedJson, sendRest, thisPage } from './rest';
import { errorOf, type RestError, UNREACHABLE } from './rest-answer';

interface AskedFile {
  /** A route that responds with a file, including its query string. */
  readonly route: string;
  readonly body: string;
  /** Parameters of POST /query: `format=csv&csv=spreadsheet`. */
  readonly format?: string;
  /** Recorded in the query log as the page that sent the query automatically. */
  readonly page?: string;
}

export const FILE_FORMATS: readonly (readonly [label: string, format: string])[] = [
  ['CSV for spreadsheets', 'format=csv&csv=spreadsheet'],
  ['CSV for programs', 'format=csv'],
  ['NDJSON', 'format=ndjson'],
  ['Parquet', 'format=parquet'],
];

const BROKE_OFF = 'The answer was cut off, so nothing was saved.';

/** Returns why nothing was saved; undefined if the browser has the complete file. */
export async function saveAnswer({ route, format, ...request }: AskedFile): Promise<RestError | undefined> {
  try {
    const response = await sendRest(format === undefined ? route : `${route}&${format}`, request);
    if (response.status !== 200) {
      const body = parsedJson(await response.text());
      return errorOf({ status: response.status, body }, thisPage());
    }
    const [, name = 'answer'] =
      /filename="(.+)"/.exec(response.headers.get('Content-Disposition') ?? '') ?? [];
    const file = await response.blob().catch(() => undefined);
    if (file === undefined) return { code: '', message: BROKE_OFF };
    save(file, name);
    return undefined;
  } catch {
    return { code: '', message: UNREACHABLE };
  }
}

function save(file: Blob, name: string): void {
  const link = element('a', [], '', { href: URL.createObjectURL(file), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}
