// A clock that a trial can move forward, for the programs of an installation.
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Environment } from '../support/program-process';

/** Longer than the programs need to notice that the clock was moved. */
const NOTICED_MS = 60;

export interface MovedClock {
  /** Environment variables for programs that follow this clock. */
  readonly environment: Environment;
  now(): Date;
  /** Resolves once the programs use the new time. */
  moveTo(time: Date): Promise<void>;
  remove(): Promise<void>;
}

export async function createMovedClock(): Promise<MovedClock> {
  const folder = await mkdtemp(join(tmpdir(), 'qal-torture-clock-'));
  const file = join(folder, 'ahead');
  const module = pathToFileURL(join(__dirname, 'moved-clock.mjs'));
  module.searchParams.set('file', file);
  let ahead = 0;
  // The file is replaced in a single step, because the programs read it continually.
  const store = async () => {
    await writeFile(`${file}.new`, String(ahead));
    await rename(`${file}.new`, file);
  };
  await store();
  return {
    environment: { NODE_OPTIONS: `--import=${module.href}`, TZ: 'UTC' },
    now: () => new Date(Date.now() + ahead),
    async moveTo(time) {
      ahead = time.getTime() - Date.now();
      await store();
      await pause(NOTICED_MS);
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
