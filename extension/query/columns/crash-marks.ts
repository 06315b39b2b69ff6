// Files beside the copy's that say what DuckDB is at work on. A damaged copy can end the process in native code; the next process
// finds them.
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createFolder, DAY_MS } from '../../../host-shim/extension-api';
import { ColumnsUnavailable, CopyCrashed } from './column-file-error';

const OPENING = 'opening';
const READING = 'reading';
/** Contains how many processes in a row have ended while they wrote. */
const WRITING = 'writing';
const CRASH = 'crash.json';
/** There until what was found to be wrong is removed. Empty: a full disk has room for it. */
const WRONG = 'wrong';

/** Of this process, whose own marks are no crash. */
const OWN = randomUUID();

/** As long as a mark: while nothing is read, its file has this. Writing either takes a microsecond. */
const NOTHING = ' '.repeat(OWN.length);
/** A process that is killed in a refresh says little: refreshes are long, and the next process repeats it. */
const CRASHES_WRITING = 2;

const AGAIN =
  'The server ended twice within a day while it read the column copy. Queries are answered from rows until "qal columns rebuild".';

/** Opens the copy. Throws CopyCrashed where another process ended while it did. */
export async function openMarked<T>(folder: string, open: () => Promise<T>): Promise<T> {
  const mark = join(folder, OPENING);
  if (await isLeft(mark)) throw new CopyCrashed('opened');
  await writeFile(mark, OWN);
  try {
    return await open();
  } finally {
    await rm(mark, { force: true });
  }
}

export interface WorkMarks {
  reading<T>(work: () => Promise<T>): Promise<T>;
  writing<T>(work: () => Promise<T>): Promise<T>;
  /** When the copy is closed. What still runs then is given up. */
  end(): void;
}

/** For the process that has the copy open. Throws CopyCrashed where the last one ended while it worked on it. */
export async function openWorkMarks(folder: string): Promise<WorkMarks> {
  const read = join(folder, READING);
  const write = join(folder, WRITING);
  if (await isLeft(read)) throw new CopyCrashed('read');
  let crashesWriting = Number((await readIfThere(write)) ?? 0);
  if (crashesWriting >= CRASHES_WRITING) throw new CopyCrashed('wrote');
  let reads = 0;
  writeFileSync(read, NOTHING, { mode: 0o600 });
  let file: number | undefined = openSync(read, 'r+');
  const note = (text: string) => {
    if (file !== undefined) writeSync(file, text, 0);
  };
  const end = () => {
    process.off('exit', end);
    if (file === undefined) return;
    closeSync(file);
    file = undefined;
    rmSync(read, { force: true });
  };
  // A process that ends by itself has not crashed, even if DuckDB is in a step that cannot be interrupted.
  process.once('exit', end);
  return {
    async reading(work) {
      reads += 1;
      try {
        if (reads === 1) note(OWN);
        return await work();
      } finally {
        reads -= 1;
        if (reads === 0) note(NOTHING);
      }
    },
    async writing(work) {
      writeFileSync(write, String(crashesWriting + 1));
      try {
        return await work();
      } finally {
        crashesWriting = 0;
        rmSync(write, { force: true });
      }
    },
    end,
  };
}

/** Throws ColumnsUnavailable after a second crash within a day. */
export async function checkCrashes(folder: string): Promise<void> {
  if ((await lastCrash(folder))?.isAgain === true) throw new ColumnsUnavailable(AGAIN, undefined, 'crashed');
}

/** Removes the copy after a crash and remembers it. Throws as `checkCrashes` does. */
export async function removeCrashedCopy(folder: string, now: Date): Promise<void> {
  const last = await lastCrash(folder);
  const isAgain = last !== undefined && Math.abs(now.getTime() - last.at) < DAY_MS;
  await createFolder(folder, 0o700);
  await writeFile(join(folder, CRASH), JSON.stringify({ at: now.getTime(), isAgain }));
  await removeCopy(folder);
  await checkCrashes(folder);
}

/** Deletes the folder, as a person asked for; a copy is made of PostgreSQL alone, so nothing is lost. */
export const removeColumnFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true });

/** From now on no process opens the copy, until `unmarkWrong` or its removal. */
export function markWrong(folder: string): void {
  try {
    closeSync(openSync(join(folder, WRONG), 'w', 0o600));
  } catch {
    // Where this fails, no process can open the copy: that needs a mark as well.
  }
}

export const unmarkWrong = (folder: string): void => rmSync(join(folder, WRONG), { force: true });

export const isMarkedWrong = async (folder: string): Promise<boolean> =>
  (await readIfThere(join(folder, WRONG))) !== undefined;

/** Removes a copy, but not the record of its last crash, which only a person discards. */
export async function removeCopy(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names.filter((it) => it !== CRASH && it !== WRONG))
    await rm(join(folder, name), { recursive: true, force: true });
  unmarkWrong(folder);
}

const crashSchema = z.object({ at: z.number(), isAgain: z.boolean() });

async function lastCrash(folder: string) {
  const text = await readIfThere(join(folder, CRASH));
  return text === undefined ? undefined : crashSchema.parse(JSON.parse(text));
}

async function isLeft(mark: string): Promise<boolean> {
  const owner = (await readIfThere(mark))?.trim() ?? '';
  return owner !== '' && owner !== OWN;
}

const readIfThere = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
