import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../db/embedded/errors';
import { createFolder, type Ledger } from '../extension-api';
import type { Config } from '../server/config';

/** DATA_DIR always has the ledger; the backup folder has it while its disk is mounted. */
export function openLedger(
  { dataDir, backupDir }: Pick<Config, 'dataDir' | 'backupDir'>,
  name: string,
): Ledger {
  const copies = [dataDir, backupDir].flatMap((folder) => (folder === undefined ? [] : [join(folder, name)]));
  return {
    async read() {
      const lines = new Set<string>();
      const faults = await eachOf(copies, 'read', async (path) => {
        for (const line of await linesOf(path)) lines.add(line);
      });
      return { lines: [...lines], faults };
    },
    add: (lines) =>
      eachOf(copies, 'written', async (path) => {
        // The backup folder is never created, because its disk may not be mounted.
        if (path === copies[0]) await createFolder(dataDir, 0o700);
        await addLines(path, lines);
      }),
  };
}

/** Copies the lines of ledgers next to a backup into DATA_DIR, before it is restored. */
export async function carryLedgers(
  names: readonly string[],
  folder: string,
  config: Pick<Config, 'dataDir'>,
): Promise<void> {
  for (const name of names) {
    const lines = await linesOf(join(folder, name));
    if (lines.length === 0) continue;
    await createFolder(config.dataDir, 0o700);
    await addLines(join(config.dataDir, name), lines);
  }
}

async function eachOf(
  copies: readonly string[],
  what: 'read' | 'written',
  work: (path: string) => Promise<void>,
): Promise<readonly Error[]> {
  const faults: Error[] = [];
  for (const path of copies)
    await work(path).catch((cause: unknown) =>
      faults.push(new Error(`${path} could not be ${what}.`, { cause })),
    );
  return faults;
}

async function linesOf(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch(ignoreMissing);
  return text?.split('\n').filter((line) => line !== '') ?? [];
}

async function addLines(path: string, lines: readonly string[]): Promise<void> {
  const known = new Set(await linesOf(path));
  const missing = lines.filter((line) => !known.has(line));
  if (missing.length === 0) return;
  const file = await open(path, 'a', 0o600);
  try {
    // A killed process may have left an unfinished line.
    await file.appendFile(`${known.size > 0 ? '\n' : ''}${missing.join('\n')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}
