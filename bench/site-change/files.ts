// The files for the comparison: page views with all ids as NDJSON, and the same visits as an access log.
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { demoViews } from '../../extension/data/demo/demo-views';

export type Kind = 'given' | 'log';
export const FORMAT: Readonly<Record<Kind, string>> = { given: 'ndjson', log: 'combined' };

const AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** One in this many rows is written to the file `late` instead of `rest`. */
const LATE_EVERY = 1000;

interface FileSet {
  readonly whole: string;
  readonly rest: string;
  readonly late: string;
}

/** Writes files with this many views, unless they already exist. */
export async function writeFiles(directory: string, kind: Kind, views: number): Promise<FileSet> {
  const name = (part: string): string => join(directory, `${kind}-${views}-${part}`);
  const files = { whole: name('whole'), rest: name('rest'), late: name('late') };
  if (existsSync(files.late)) return files;
  const [whole, rest, late] = [files.whole, files.rest, `${files.late}.part`].map((path) =>
    createWriteStream(path),
  );
  if (whole === undefined || rest === undefined || late === undefined)
    throw new Error('There must be three files.');
  let place = 0;
  const put = async (out: typeof whole, line: string): Promise<void> => {
    if (!out.write(line)) await once(out, 'drain');
  };
  for (const view of demoViews({ now: new Date('2026-11-20T00:00:00Z'), views, seed: 7 })) {
    const line = `${kind === 'given' ? JSON.stringify(view) : logLine(view)}\n`;
    place += 1;
    await put(whole, line);
    await put(place % LATE_EVERY === 0 ? late : rest, line);
  }
  for (const out of [whole, rest, late]) {
    out.end();
    await once(out, 'close');
  }
  const { renameSync } = await import('node:fs');
  renameSync(`${files.late}.part`, files.late);
  return files;
}

function logLine(view: Readonly<Record<string, unknown>>): string {
  const reader = Number(view.reader_id);
  const at = new Date(Number(view.access_time) * 1000);
  const pad = (value: number): string => String(value).padStart(2, '0');
  const time = `${pad(at.getUTCDate())}/${MONTHS[at.getUTCMonth()]}/${at.getUTCFullYear()}:${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}:${pad(at.getUTCSeconds())} +0000`;
  const address = `10.${(reader >> 16) & 255}.${(reader >> 8) & 255}.${reader & 255}`;
  const { pathname, search } = new URL(String(view.url));
  const referrer = typeof view.referrer === 'string' ? view.referrer : '-';
  return `${address} - - [${time}] "GET ${pathname}${search} HTTP/1.1" 200 5120 "${referrer}" "${AGENTS[reader % AGENTS.length]}"`;
}
