import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreMissing } from '../../db/embedded/errors';
import { createFolder, giveToOwnerOf, type Ledger } from '../extension-api';
import type { Config } from '../server/config';

/** One copy of the ledger is in DATA_DIR, and another in the backup folder, if there is one. That folder's disk may not be mounted. */
export function openLedger(
  { dataDir, backupDir }: Pick<Config, 'dataDir' | 'backupDir'>,
  name: string,
): Ledger {
  const copies = [dataDir, backupDir].flatMap((folder) => (folder === undefined ? [] : [join(folder, name)]));
  return {
    async read(isWanted = () => true) {
      const lines = new Set<string>();
      const faults = await eachOf(copies, 'read', (path) =>
        eachLine(path, (line) => {
          if (isWanted(line)) lines.add(line);
        }),
      );
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

/** Copies the lines of the ledgers next to a backup into DATA_DIR. A restore does so before it commits any rows. */
export async function carryLedgers(
  names: readonly string[],
  folder: string,
  config: Pick<Config, 'dataDir'>,
): Promise<void> {
  for (const name of names) {
    const lines: string[] = [];
    await eachLine(join(folder, name), (line) => void lines.push(line));
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

/** Passes each line to `take`. The file may be longer than the longest possible string. */
async function eachLine(path: string, take: (line: string) => void): Promise<void> {
  const file = await open(path).catch(ignoreMissing);
  if (file === undefined) return;
  let rest = '';
  for await (const chunk of file.createReadStream({ encoding: 'utf8' })) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') take(line);
  }
  if (rest !== '') take(rest);
}

const CHUNK_LENGTH = 1_000_000;

async function addLines(path: string, lines: readonly string[]): Promise<void> {
  const missing = new Set(lines);
  // Starts with a line break if the file has lines, because a killed process may have left the last one unfinished.
  let text = '';
  await eachLine(path, (line) => {
    missing.delete(line);
    text = '\n';
  });
  if (missing.size === 0) return;
  const file = await open(path, 'a', 0o600);
  try {
    await giveToOwnerOf(dirname(path), path);
    for (const line of missing) {
      text += `${line}\n`;
      if (text.length < CHUNK_LENGTH) continue;
      await file.appendFile(text);
      text = '';
    }
    await file.appendFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
