// Files that may mention a visitor, as far as this machine has them: those with rejected rows, which commands wrote for a site or which are
// in DATA_DIR, and answers of the column copy that differed from rows.
import { createReadStream } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import type { KnownVisitor } from './find-visitor';
import { mentionsOf } from './mentions';

/** The folder for files that could not be written beside the imported ones. */
export const rejectedFolder = (dataDir: string): string => join(dataDir, 'rejected');

/** The folder for answers that differed, each in a file. */
export const differencesFolder = (dataDir: string): string => join(dataDir, 'differences');

const LINES_AT_ONCE = 500;

/** Notes a file, so that erasing a visitor finds it. */
export async function noteRejectedFile(
  write: Knex,
  trackingId: string,
  path: string,
  at: Date,
): Promise<void> {
  await write.raw(
    `INSERT INTO analytics.rejected_file AS f (site_id, path, written_at)
     SELECT site_id, ?, ? FROM analytics.site WHERE tracking_id = ?
     ON CONFLICT (site_id, path) DO UPDATE SET written_at = greatest(f.written_at, excluded.written_at)`,
    [resolve(path), at, trackingId],
  );
}

interface SearchedFile {
  readonly path: string;
  /** Whether its lines are records; otherwise the file is one. */
  readonly hasRecords: boolean;
}

/** Existing files. */
async function visitorFiles({ client, siteId, dataDir }: Searched): Promise<readonly SearchedFile[]> {
  const { rows } = await client.query<{ path: string }>(
    'SELECT path FROM analytics.rejected_file WHERE site_id = $1 ORDER BY path',
    [siteId],
  );
  // An import that is running still writes its .part file.
  const others = (await filesIn(rejectedFolder(dataDir))).filter((path) => !path.endsWith('.part'));
  const files = [
    ...[...new Set([...rows.map(({ path }) => path), ...others])].map((path) => ({ path, hasRecords: true })),
    ...(await filesIn(differencesFolder(dataDir))).map((path) => ({ path, hasRecords: false })),
  ];
  const isThere = await Promise.all(files.map(({ path }) => stat(path).then((one) => one.isFile(), noFile)));
  return files.filter((_file, place) => isThere[place] === true);
}

const filesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder).catch(noneThere)).map((name) => join(folder, name));

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

function noneThere(error: unknown): readonly string[] {
  if (isMissing(error)) return [];
  throw error;
}

function noFile(error: unknown): boolean {
  if (isMissing(error)) return false;
  throw error;
}

interface FileLine {
  readonly path: string;
  readonly line: string;
  readonly isOfVisitor: boolean;
}

interface Searched {
  readonly client: ClientBase;
  readonly siteId: number;
  readonly dataDir: string;
  readonly visitor: KnownVisitor;
}

/** Passes every line to `take`, file by file. PostgreSQL compares them, by the rule for rejected rows in the database. */
async function searchFile(
  { client, visitor }: Searched,
  path: string,
  take: (lines: readonly FileLine[]) => Promise<void>,
): Promise<void> {
  const { inText } = mentionsOf(visitor);
  let waiting: string[] = [];
  const search = async (): Promise<void> => {
    const values: unknown[] = [waiting];
    const isOfVisitor = inText('line', (value) => `$${values.push(value)}`);
    const { rows } = await client.query<Omit<FileLine, 'path'>>(
      `SELECT line, ${isOfVisitor} AS "isOfVisitor" FROM unnest($1::text[]) WITH ORDINALITY u (line, place) ORDER BY place`,
      values,
    );
    waiting = [];
    await take(rows.map((row) => ({ path, ...row })));
  };
  const lines = createInterface({
    input: createReadStream(path, 'utf8'),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const line of lines) {
    waiting.push(line);
    if (waiting.length === LINES_AT_ONCE) await search();
  }
  if (waiting.length > 0) await search();
}

/** The lines that mention the visitor. */
export async function findInFiles(
  searched: Searched,
  take: (line: FileLine) => Promise<void>,
): Promise<void> {
  for (const { path } of await visitorFiles(searched))
    await searchFile(searched, path, async (lines) => {
      for (const one of lines) if (one.isOfVisitor) await take(one);
    });
}

/** Writes files again without the records that mention the visitor, and removes those without any others. */
export async function eraseFromFiles(searched: Searched): Promise<void> {
  for (const { path, hasRecords } of await visitorFiles(searched)) {
    const left = `${path}.erasing`;
    const file = await open(left, 'w', (await stat(path)).mode);
    let [gone, stayed] = [0, 0];
    try {
      await searchFile(searched, path, async (lines) => {
        const kept = lines.filter(({ isOfVisitor }) => !isOfVisitor);
        gone += lines.length - kept.length;
        stayed += kept.length;
        await file.appendFile(kept.map(({ line }) => `${line}\n`).join(''));
      });
    } finally {
      await file.close();
    }
    const isRest = gone > 0 && stayed > 0 && hasRecords;
    if (!isRest) await rm(left);
    if (gone > 0 && !isRest) await rm(path);
    if (isRest) await rename(left, path);
  }
}
