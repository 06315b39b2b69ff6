// Files on this machine with a site's data: rejected rows, written by commands for the site or stored in DATA_DIR, and query
// answers that differed between the columnar copy and the row tables. They may mention a visitor, and are removed with the site.
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { z } from 'zod';
import { codeOf, giveToOwnerOf } from '../../../host-shim/extension-api';
import { isJsonObject, parsedJson } from '../../language/types/json';
import { UNFINISHED, unfinishedPath } from '../import/rejected-rows';
import type { Mentions } from './mentions';

/** The folder for files that could not be written next to the imported ones. */
export const rejectedFolder = (dataDir: string): string => join(dataDir, 'rejected');

/** The folder for answers that differed, one per file. */
export const differencesFolder = (dataDir: string): string => join(dataDir, 'differences');

/** Registers a file, so that it is found when a visitor is erased. */
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

/** Why a file may still mention the visitor, or contain rows of the site. */
export interface FileFault {
  readonly path: string;
  readonly error: Error;
}

export const faultInWords = ({ path, error }: FileFault): string => `${path} (${error.message})`;

interface FoundLine {
  readonly path: string;
  readonly line: string;
}

interface FilesOfSite {
  readonly client: ClientBase;
  readonly siteId: number;
  readonly dataDir: string;
}

interface Searched extends FilesOfSite {
  readonly mentions: Mentions;
}

/** Passes the lines that mention the visitor to `take`. Returns the files that cannot be read. */
export const findInFiles = (
  searched: Searched,
  take: (line: FoundLine) => Promise<void>,
): Promise<readonly FileFault[]> =>
  eachFile(searched, {
    async rows(path) {
      for await (const line of linesOf(path))
        if (isOfVisitor(line, searched.mentions)) await take({ path, line });
    },
    async answer(path) {
      const text = await readFile(path, 'utf8');
      if (isAnswerOfVisitor(text, searched.mentions)) await take({ path, line: text });
    },
  });

/**
 * Removes from files the records that mention the visitor, and deletes files that have no other records. Returns
 * the files for which that failed.
 */
export const eraseFromFiles = (searched: Searched): Promise<readonly FileFault[]> =>
  eachFile(searched, {
    rows: (path) => eraseRows(path, (line) => isOfVisitor(line, searched.mentions)),
    async answer(path) {
      if (isAnswerOfVisitor(await readFile(path, 'utf8'), searched.mentions)) await rm(path);
    },
  });

/**
 * Removes a site's rejected rows, and the answers that contain its rows. A file written for several sites is kept: its
 * lines do not show which site they belong to.
 */
export const removeFilesOfSite = (site: FilesOfSite): Promise<readonly FileFault[]> =>
  eachFile(site, {
    rows: async (path, isShared) => (isShared ? undefined : eraseRows(path, isRejectedRow)),
    async answer(path) {
      if (isAnswerOfSite(await readFile(path, 'utf8'), site.siteId)) await rm(path);
    },
  });

interface FileKinds {
  /** A file with rejected rows. `isShared`: the rows may belong to another site. */
  rows(path: string, isShared: boolean): Promise<void>;
  answer(path: string): Promise<void>;
}

/** Continues if a file fails: the database and the other files do not depend on it. */
async function eachFile(
  { client, siteId, dataDir }: FilesOfSite,
  kinds: FileKinds,
): Promise<readonly FileFault[]> {
  const faults: FileFault[] = [];
  const attempt = async (path: string, act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? ''))
        faults.push({ path, error: error instanceof Error ? error : new Error(String(error)) });
    }
  };
  const attemptFile = (path: string, act: (path: string) => Promise<void>): Promise<void> =>
    attempt(path, async () => {
      if ((await stat(path)).isFile()) await act(path);
    });
  const eachIn = (folder: string, act: (path: string) => Promise<void>): Promise<void> =>
    attempt(folder, async () => {
      for (const name of await readdir(folder)) await attemptFile(join(folder, name), act);
    });
  const { rows: noted } = await client.query<{ path: string; ours: string | null; isShared: boolean }>(
    `SELECT path, min(tracking_id) FILTER (WHERE site_id = $1) AS ours, count(*) > 1 AS "isShared"
       FROM analytics.rejected_file JOIN analytics.site USING (site_id) GROUP BY path ORDER BY path`,
    [siteId],
  );
  for (const { path, ours, isShared } of noted) {
    if (ours === null) continue;
    await attemptFile(path, () => kinds.rows(path, isShared));
    const unfinished = unfinishedPath(path, ours);
    await attemptFile(unfinished, () => kinds.rows(unfinished, false));
    // Version 1.0 wrote the unfinished files of all sites to the same path.
    const shared = `${path}${UNFINISHED}`;
    await attemptFile(shared, () => kinds.rows(shared, isShared));
  }
  const known = new Set(noted.map(({ path }) => path));
  await eachIn(rejectedFolder(dataDir), async (path) => {
    // An import into another site may still be writing its unfinished file.
    if (!known.has(path) && !path.endsWith(UNFINISHED)) await kinds.rows(path, true);
  });
  await eachIn(differencesFolder(dataDir), kinds.answer);
  return faults;
}

/** Lines of text. Only "\n" ends a line: readline would also split at other line separators, which a row may contain. */
export async function* linesIn(texts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let parts: string[] = [];
  for await (const text of texts) {
    const [end = '', ...lines] = text.split('\n');
    parts.push(end);
    for (const next of lines) {
      yield parts.join('');
      parts = [next];
    }
  }
  const rest = parts.join('');
  if (rest !== '') yield rest;
}

const linesOf = (path: string) => linesIn(createReadStream(path, 'utf8'));

/** Ignores the import's own fields about a row, such as its line number. */
function isOfVisitor(line: string, { inRow, inLine }: Mentions): boolean {
  const record = parsedJson(line);
  const row = isJsonObject(record) ? record.row : undefined;
  if (row === undefined) return inLine(line);
  return typeof row === 'string' ? inLine(row) : inRow(row);
}

function isAnswerOfVisitor(text: string, { inAnswer, inLine }: Mentions): boolean {
  const answer = parsedJson(text);
  return answer === undefined ? inLine(text) : inAnswer(answer);
}

/** Whether `rejectedFile` wrote the line. A file that a user put in its place is not changed. */
const isRejectedRow = (line: string): boolean => /^\{"line":\d+,"column":/.test(line);

const answerOfSites = z.looseObject({ states: z.array(z.looseObject({ siteId: z.number() })) });

const isAnswerOfSite = (text: string, siteId: number): boolean =>
  answerOfSites.safeParse(parsedJson(text)).data?.states.some((state) => state.siteId === siteId) === true;

async function eraseRows(path: string, isErased: (line: string) => boolean): Promise<void> {
  let [gone, stayed] = [0, 0];
  for await (const line of linesOf(path)) {
    if (isErased(line)) gone += 1;
    else stayed += 1;
  }
  if (gone === 0) return;
  if (stayed === 0) return rm(path);
  const left = `${path}.erasing`;
  const { mode } = await stat(path);
  try {
    await pipeline(
      async function* () {
        for await (const line of linesOf(path)) if (!isErased(line)) yield `${line}\n`;
      },
      createWriteStream(left, { mode }),
    );
    await giveToOwnerOf(path, left);
    await rename(left, path);
  } catch (error) {
    await rm(left, { force: true });
    throw error;
  }
}
