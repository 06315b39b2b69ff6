// A log in a folder, with operations that simulate servers and log rotation. Lines are numbered so that a test can check which
// ones were read.
import {
  appendFile,
  copyFile,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Random } from '../../../extension/data/demo/random';

export type Naming = 'numbers' | 'dates';

export interface RotatingLog {
  readonly path: string;
  /** Lines that must be read. */
  readonly written: ReadonlySet<string>;
  /** Lines that were written late, to a file that had already been renamed. */
  readonly writtenLate: ReadonlySet<string>;
  /** Lines whose file was removed -> time of the removal. */
  readonly removed: ReadonlyMap<string, number>;
  /** In seconds, by the log's simulated clock. */
  now(): number;
  /** Advances the clock until servers no longer write to renamed files. */
  idle(): void;
  /** Lines written between the copy and the truncation. The rotation itself loses them. */
  readonly lostByCopy: ReadonlySet<string>;
  append(count: number): Promise<void>;
  /** Appends lines to the renamed file, as a server that still has it open would. */
  appendLate(count: number): Promise<void>;
  halfLine(): Promise<void>;
  renameAway(): Promise<void>;
  copyAndTruncate(between: number): Promise<void>;
  /** Compresses a rotated file. */
  pack(random: Random): Promise<void>;
  /** Removes the oldest rotated file. */
  removeOldest(): Promise<void>;
  remove(): Promise<void>;
}

/** The number of rotated files that are always kept. */
const KEPT = 1;
/** If there are more rotated files, the oldest one is removed. */
export const MAX_ROTATED = 14;

export async function rotatingLog(naming: Naming): Promise<RotatingLog> {
  const folder = await mkdtemp(join(tmpdir(), 'qal-rotating-'));
  const path = join(folder, 'access.log');
  const written = new Set<string>();
  const writtenLate = new Set<string>();
  const removed = new Map<string, number>();
  const lostByCopy = new Set<string>();
  let lines = 0;
  let rotations = 0;
  // A simulated clock, because all files of a test are written within the resolution of file system timestamps.
  let clock = 1_700_000_000;
  let half = '';
  let late: string | undefined;

  const touch = async (file: string) => {
    clock += 1;
    await utimes(file, clock, clock);
  };
  const newLine = (): string => {
    lines += 1;
    return `${lines} ${'x'.repeat(lines % 7 === 0 ? 700 : 40)}`;
  };
  const write = async (file: string, count: number, into: Set<string>) => {
    const added = Array.from({ length: count }, newLine);
    for (const line of added) into.add(line);
    await appendFile(file, added.map((line) => `${line}\n`).join(''));
    await touch(file);
  };
  const endHalf = async () => {
    if (half === '') return;
    await appendFile(path, `${half.slice(20)}\n`);
    await touch(path);
    half = '';
  };
  const rotated = async () =>
    (await readdir(folder)).filter((name) => name !== 'access.log').sort((a, b) => ageOf(a) - ageOf(b));
  const ageOf = (name: string): number => {
    const number = Number(/\d+/.exec(name)?.[0]);
    return naming === 'numbers' ? number : -number;
  };
  const removeOldest = async () => {
    const names = await rotated();
    const name = names.at(-1);
    if (name === undefined || names.length <= KEPT) return;
    if (join(folder, name) === late) late = undefined;
    const bytes = await readFile(join(folder, name));
    const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
    clock += 1;
    for (const line of text.split('\n')) removed.set(line, clock);
    await rm(join(folder, name));
  };
  /** Makes room for a new file and returns its name. */
  const shift = async (): Promise<string> => {
    rotations += 1;
    if ((await rotated()).length === MAX_ROTATED) await removeOldest();
    if (naming === 'dates') return `access-${20_260_000 + rotations}.log`;
    for (const name of (await rotated()).reverse())
      await rename(
        join(folder, name),
        join(
          folder,
          name.replace(/\d+/, (number) => String(Number(number) + 1)),
        ),
      );
    return 'access.log.1';
  };

  await writeFile(path, '');
  await touch(path);
  return {
    path,
    written,
    writtenLate,
    removed,
    lostByCopy,
    now: () => clock,
    idle() {
      clock += 3600;
      late = undefined;
    },
    async append(count) {
      await endHalf();
      await write(path, count, written);
    },
    async appendLate(count) {
      if (late === undefined) return;
      const before = new Set(written);
      await write(late, count, written);
      for (const line of written) if (!before.has(line)) writtenLate.add(line);
    },
    async halfLine() {
      if (half !== '') return;
      half = newLine();
      written.add(half);
      await appendFile(path, half.slice(0, 20));
      await touch(path);
    },
    async renameAway() {
      await endHalf();
      late = join(folder, await shift());
      await rename(path, late);
      await writeFile(path, '');
      await touch(path);
    },
    async copyAndTruncate(between) {
      await endHalf();
      const copy = join(folder, await shift());
      await copyFile(path, copy);
      await touch(copy);
      await write(path, between, lostByCopy);
      await truncate(path);
      await touch(path);
      late = undefined;
    },
    async pack(random) {
      const plain = (await rotated()).filter((name) => !name.endsWith('.gz'));
      const name = plain[random.between(0, plain.length - 1)];
      if (name === undefined) return;
      const file = join(folder, name);
      if (file === late) late = undefined;
      const { atime, mtime, size } = await stat(file);
      // An empty file cannot be recognized once it is compressed. Lines of the previous file may then be read twice; the database
      // recognizes them.
      if (size === 0) return;
      await writeFile(`${file}.gz`, gzipSync(await readFile(file)));
      await utimes(`${file}.gz`, atime, mtime);
      await rm(file);
    },
    removeOldest,
    remove: () => rm(folder, { recursive: true }),
  };
}
