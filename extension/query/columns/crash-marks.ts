// Marker files next to the copy that record what DuckDB is doing. A damaged copy can crash the process in native code; the
// next process then finds the markers.
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createFolder, DAY_MS, ignoreMissing } from '../../../host-shim/extension-api';
import { ColumnsUnavailable, CopyCrashed } from './column-file-error';

const OPENING = 'opening';
const READING = 'reading';
/** Contains the number of consecutive processes that died while writing. */
const WRITING = 'writing';
const CRASH = 'crash.json';
/** Exists until the wrong rows are removed. It is empty, so that it can be created even if the disk is full. */
const WRONG = 'wrong';

/** Identifies this process, whose own marks are not evidence of a crash. */
const OWN = randomUUID();

/** The content of the read mark while nothing is being read. Its length never changes, so overwriting takes only a microsecond. */
const NOTHING = ' '.repeat(OWN.length);
/** A single kill during a refresh is weak evidence of damage, because refreshes take a long time. */
const MAX_WRITE_CRASHES = 2;

const AGAIN =
  'The server crashed twice within a day while it was reading the columnar copy. Queries are answered from rows until you run "qal columns rebuild".';

/** Throws CopyCrashed if an earlier process died while opening the copy. */
export async function openMarked<T>(folder: string, open: () => Promise<T>): Promise<T> {
  const mark = join(folder, OPENING);
  if (await isLeftBehind(mark)) throw new CopyCrashed('opening');
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
  /** Called when the copy is closed, even if work is still running. */
  end(): void;
}

/** Throws CopyCrashed if the previous process died while reading or writing the copy. */
export async function openWorkMarks(folder: string): Promise<WorkMarks> {
  const read = join(folder, READING);
  const write = join(folder, WRITING);
  if (await isLeftBehind(read)) throw new CopyCrashed('reading');
  let writeCrashes = Number((await readIfThere(write)) ?? 0);
  if (writeCrashes >= MAX_WRITE_CRASHES) throw new CopyCrashed('writing');
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
  // A normal exit is not a crash, even if DuckDB is in a step that cannot be interrupted.
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
      writeFileSync(write, String(writeCrashes + 1));
      try {
        return await work();
      } finally {
        writeCrashes = 0;
        rmSync(write, { force: true });
      }
    },
    end,
  };
}

/** Throws ColumnsUnavailable if this is the second crash within a day. */
export async function checkCrashes(folder: string): Promise<void> {
  if ((await lastCrash(folder))?.isAgain === true) throw new ColumnsUnavailable(AGAIN, undefined, 'crashed');
}

/** Records a crash and removes the copy. Throws as `checkCrashes` does. */
export async function removeCrashedCopy(folder: string, now: Date): Promise<void> {
  const last = await lastCrash(folder);
  const isAgain = last !== undefined && Math.abs(now.getTime() - last.at) < DAY_MS;
  await createFolder(folder, 0o700);
  await writeFile(join(folder, CRASH), JSON.stringify({ at: now.getTime(), isAgain }));
  await removeCopy(folder);
  await checkCrashes(folder);
}

/** Nothing is lost, because everything in the copy is also in PostgreSQL. */
export const removeColumnFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true });

/** No process opens the copy until `unmarkWrong` is called or the copy is removed. */
export function markWrong(folder: string): void {
  try {
    closeSync(openSync(join(folder, WRONG), 'w', 0o600));
  } catch {
    // If writing fails, no process can open the copy either, because opening it also writes a mark.
  }
}

export const unmarkWrong = (folder: string): void => rmSync(join(folder, WRONG), { force: true });

export const isMarkedWrong = async (folder: string): Promise<boolean> =>
  (await readIfThere(join(folder, WRONG))) !== undefined;

/** Removes a copy, but not the record of its last crash, which only a user can discard. */
export async function removeCopy(folder: string): Promise<void> {
  const names = await readdir(folder).catch(ignoreMissing);
  for (const name of (names ?? []).filter((it) => it !== CRASH && it !== WRONG))
    await rm(join(folder, name), { recursive: true, force: true });
  unmarkWrong(folder);
}

const crashSchema = z.object({ at: z.number(), isAgain: z.boolean() });

async function lastCrash(folder: string) {
  const text = await readIfThere(join(folder, CRASH));
  return text === undefined ? undefined : crashSchema.parse(JSON.parse(text));
}

async function isLeftBehind(mark: string): Promise<boolean> {
  const owner = (await readIfThere(mark))?.trim() ?? '';
  return owner !== '' && owner !== OWN;
}

const readIfThere = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch(ignoreMissing);
