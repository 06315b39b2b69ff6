// qal import --follow: goes on with what is written to a log.
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CommandInput, JobFailed, WrongUsage } from '../../host-shim/extension-api';
import { findSite } from '../import/find-site';
import { type FilePlace, followFile, storedPlace, storePlace } from '../import/follow-file';
import { openSource } from '../import/formats/open-source';
import { ImportError } from '../import/import-error';
import { importFile } from '../import/import-file';
import type { ImportOptions, ImportReport } from '../import/import-options';
import { inTransaction } from '../storage/in-transaction';

/** Follows one file until Ctrl-C. */
export async function follow(
  files: readonly string[],
  shared: Omit<ImportOptions, 'input' | 'source'>,
  input: CommandInput,
  seconds: number,
): Promise<void> {
  const [file = '-'] = files;
  if (files.length !== 1 || file === '-') throw new WrongUsage('--follow takes one file.');
  if (shared.dryRun !== undefined) throw new WrongUsage('--follow cannot be a dry run.');
  const path = resolve(file);
  const { write, material } = shared;
  try {
    const format = await followedFormat(file, shared, input);
    const siteId = await findSite(write, shared.site);
    const key = { siteId, material, path };
    await followFile({
      path,
      place: await inTransaction(write, (client) => storedPlace(client, key)),
      importPiece: (piece, place: FilePlace) =>
        importFile({
          ...shared,
          format,
          input: piece,
          source: file,
          wait: true,
          signal: input.signal,
          alsoWrite: (client) => storePlace(client, key, place),
        }),
      async wait() {
        try {
          await sleep(seconds * 1000, undefined, { signal: input.signal });
        } catch {
          return false;
        }
        return true;
      },
      onImported: (report) => input.out(lineOf(report, shared.clock())),
      onWarning: (text) => input.err(`${text}\n`),
    });
  } catch (error) {
    throw error instanceof ImportError ? new JobFailed(error.message, { cause: error }) : error;
  }
}

/** The format of the file, which must tell by each line alone what it is. */
async function followedFormat(
  file: string,
  shared: Omit<ImportOptions, 'input' | 'source'>,
  input: CommandInput,
) {
  const { stream } = await input.openFile(file);
  const { format } = await openSource({
    ...shared,
    input: stream,
    fileName: file,
    formats: shared.manifest.formats,
    onBytes: () => undefined,
  });
  stream.destroy();
  if (format.layout === 'log' || format.layout === 'ndjson') return format;
  throw new ImportError(`A file of format ${format.name} cannot be followed, only logs and NDJSON`);
}

function lineOf({ added, skipped, rejected }: ImportReport, now: Date): string {
  const left = Object.values(skipped).reduce((sum, count) => sum + count, 0);
  return `${now.toISOString()}  added ${added}, skipped ${left}, rejected ${rejected}\n`;
}
