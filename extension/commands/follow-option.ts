// qal import --follow: keeps importing new lines of a log.
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CommandInput,
  type HostTools,
  type InputFile,
  isUnavailable,
  JobFailed,
  WrongUsage,
} from '../../host-shim/extension-api';
import type { ReadableFormat } from '../../manifests/reader/formats';
import type { KnownPlaces } from '../data/import/derive/known-places';
import { findSite } from '../data/import/find-site';
import { followFile } from '../data/import/follow-file';
import { closeGap, openGaps, storedState, storeGap, storeState } from '../data/import/followed-files';
import { openSource } from '../data/import/formats/open-source';
import { ImportError } from '../data/import/import-error';
import type { ImportOptions, ImportReport, JointOptions } from '../data/import/import-options';
import { importTogether } from '../data/import/import-together';
import { bytesOf, holds, type LogFile, logFileAt } from '../data/import/log-files';
import { rejectedFile } from '../data/import/rejected-rows';
import { openRunRecord } from '../data/import/run-record';
import { noteRejectedFile } from '../data/removal/visitor-files';
import { inTransaction } from '../data/storage/in-transaction';
import { failJob } from './analytics-command';
import type { SharedOptions } from './import-files';
import { rejectedFallback } from './rejected-files';

interface FollowChoices {
  readonly seconds: number;
  readonly onGap: 'record' | 'stop';
  /** The file for rejected rows, if the user specified one. */
  readonly rejected: string | undefined;
  readonly dataDir: string;
  /** Opened before each import, because the GeoIP database may have been replaced. */
  readonly places: Pick<KnownPlaces, 'open'>;
  /** The options of this command as typed, for suggesting the command that imports a gap. */
  readonly options: string;
}

export async function follow(
  files: readonly string[],
  shared: SharedOptions,
  input: CommandInput,
  { seconds, onGap, rejected, dataDir, places, options }: FollowChoices,
): Promise<void> {
  const [file = '-'] = files;
  if (files.length !== 1 || file === '-') throw new WrongUsage('--follow takes one file.');
  if (shared.dryRun !== undefined) throw new WrongUsage('--follow cannot be a dry run.');
  const path = resolve(file);
  await refuseMissing(path, input);
  const { write, material, clock } = shared;
  const defaultPath = `${file}.rejected.ndjson`;
  let written: string | undefined;
  const record = openRunRecord(write, clock, 'following');
  try {
    const key = { siteId: await findSite(write, shared.site), material, path };
    let format: ReadableFormat | undefined;
    await followFile({
      path,
      onGap,
      clock,
      state: await inTransaction(write, (client) => storedState(client, key)),
      async importPiece(piece, { file: log, from }, check) {
        format ??= await followedFormat(log, shared);
        const bad = rejectedFile(rejected ?? defaultPath, {
          site: shared.site,
          replacesOld: false,
          continues: true,
          note: (path) => noteRejectedFile(write, shared.site, path, clock()),
          ...(rejected === undefined && {
            fallback: rejectedFallback(dataDir, shared.site, defaultPath, clock()),
          }),
        });
        try {
          const options: JointOptions = {
            ...shared,
            placeOf: await places.open(),
            format,
            source: file,
            wait: true,
            signal: input.signal,
            record,
            continues: true,
            async alsoWrite(client) {
              await storeState(client, key, await check());
              // Rejected rows are saved before the commit: if the process is killed in between, a row may be listed twice, but none is
              // lost.
              const path = await bad.keep();
              if (path === undefined || path === written) return;
              written = path;
              input.err(`Rejected rows are written to ${path}\n`);
            },
          };
          const label = `${log.path} from byte ${from}`;
          return await importTogether(options, [{ label, open: async () => piece, onRejected: bad.add }]);
        } catch (error) {
          await bad.discard();
          throw error;
        }
      },
      storeState: (state, gap) =>
        inTransaction(write, async (client) => {
          await storeState(client, key, state);
          if (gap !== undefined) await storeGap(client, key, gap, { options, foundAt: clock() });
        }),
      async wait() {
        // If the database is down, the next call tries again.
        await record.resume(key).catch((error: unknown) => {
          if (!isUnavailable(error)) throw error;
        });
        try {
          await sleep(seconds * 1000, undefined, { signal: input.signal });
        } catch {
          return false;
        }
        return true;
      },
      onImported: (report) => input.out(lineOf(report, clock())),
      onWarning: (text) => input.err(`${text}\n`),
    });
  } catch (error) {
    failJob(error, ImportError);
  } finally {
    await record.close();
  }
}

/** A log may be missing briefly during rotation, but its folder must exist. */
async function refuseMissing(path: string, input: CommandInput): Promise<void> {
  if (existsSync(path) || !existsSync(dirname(path))) await input.sizeOf(path);
  else input.err(`${path} does not exist yet; waiting for it to appear.\n`);
}

async function followedFormat(file: LogFile, shared: SharedOptions): Promise<ReadableFormat> {
  const stream = bytesOf(file, 0);
  const { format } = await openSource({
    ...shared,
    input: stream,
    fileName: file.path,
    formats: shared.manifest.formats,
    onBytes: () => undefined,
  });
  stream.destroy();
  if (format.layout === 'log' || format.layout === 'ndjson') return format;
  throw new ImportError(`Files in the format ${format.name} cannot be followed; only logs and NDJSON can`);
}

function lineOf({ added, skipped, rejected }: ImportReport, now: Date): string {
  const left = Object.values(skipped).reduce((sum, count) => sum + count, 0);
  return `${now.toISOString()}  added ${added}, skipped ${left}, rejected ${rejected}\n`;
}

/** Opens the file that a gap is in, at the gap's position. Throws a JobFailed if it is the wrong file. */
export async function gapFile(
  { clock, database }: Pick<HostTools, 'clock' | 'database'>,
  { site, material, gap }: { readonly site: string; readonly material: string; readonly gap: number },
  files: readonly string[],
  input: CommandInput,
): Promise<{ open(): Promise<InputFile>; readonly closes: NonNullable<ImportOptions['alsoWrite']> }> {
  const [file = '-'] = files;
  if (files.length !== 1 || file === '-')
    throw new WrongUsage('--gap takes one file: the one that the gap is in.');
  const found = (await openGaps(database.read)).find(({ gapId }) => gapId === gap);
  if (found === undefined)
    throw new JobFailed(`There is no open gap ${gap}; "qal imports gaps" lists all open gaps.`);
  if (found.trackingId !== site || found.material !== material)
    throw new JobFailed(`Gap ${gap} is in the dataset ${found.material} of site ${found.trackingId}.`);
  const bytes = await input.sizeOf(file);
  const log = await logFileAt(resolve(file));
  if (log === undefined || (await holds(log, found)) !== 'all')
    throw new JobFailed(
      `${file} is not the file that gap ${gap} is in: its content before byte ${found.position} is different. If the missing rows are lost or were already imported, close the gap: qal imports close-gap ${gap}`,
    );
  return {
    open: async () => ({ stream: bytesOf(log, found.position), bytes }),
    async closes(client) {
      await closeGap(client, gap, clock());
    },
  };
}
