// Fetches an answer as a file and lets the browser save it.
import { element } from './elements';
import { answerOf, sendRest } from './rest';
import { errorOf, type RestError } from './rest-answer';

interface FileRequest {
  /** A route that responds with a file, including its query string. */
  readonly route: string;
  readonly body: string;
  /** Parameters of POST /query, such as `format=csv&csv=spreadsheet`. */
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

const CUT_OFF: RestError = { code: '', message: 'The response was cut off, so nothing was saved.' };

/** Returns why nothing was saved; undefined if the browser has the complete file. */
export async function saveAnswer({ route, format, ...request }: FileRequest): Promise<RestError | undefined> {
  const sent = sendRest(format === undefined ? route : `${route}&${format}`, request);
  const response = await sent.catch(() => undefined);
  if (response?.status !== 200) return errorOf(await answerOf(sent));
  const file = await response.blob().catch(() => undefined);
  if (file === undefined) return CUT_OFF;
  const [, name = 'answer'] = /filename="(.+)"/.exec(response.headers.get('Content-Disposition') ?? '') ?? [];
  save(file, name);
  return undefined;
}

function save(file: Blob, name: string): void {
  const link = element('a', [], '', { href: URL.createObjectURL(file), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}
