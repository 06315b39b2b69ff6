// How a transaction of an import begins and ends its record, or its part of a record that several transactions share.
import type { ClientBase } from 'pg';
import { lockSiteData, tryLockSite } from '../storage/site-locks';
import type { ImportedBy } from './import-counts';
import { ImportError } from './import-error';
import { type JointOptions, UNDOABLE_IMPORTS } from './import-options';
import { endOf, formatOf, type ImportRun, sumWith } from './import-run';
import type { LoadTotals } from './loader';
import { forgetReplaced, recordEnd, recordStart, showRunning } from './record-import';
import { goesOn, storeVersion } from './shared-record';

const BY_COMMAND: ImportedBy = { login: 'local', through: 'command' };

/** The file that failed, so that only those before it were imported. */
export interface FailedFile {
  readonly label: string | undefined;
  readonly error: ImportError;
}

/** Locks the site, and continues the record or begins one. */
export async function beginPiece(
  client: ClientBase,
  siteId: number,
  material: string,
  run: ImportRun,
): Promise<void> {
  const { options, startedAt } = run;
  const { write, source, sourceName, by = BY_COMMAND, record, dryRun } = options;
  if (dryRun !== undefined) return takeSite(client, siteId, options);
  const isNew = record?.soFar === undefined;
  if (!isNew) {
    await takeSite(client, siteId, options);
    if (await goesOn(client, siteId, record, options.clock())) {
      run.before = record.soFar;
      run.importId = record.soFar?.importId;
    } else await record.end();
  }
  if (run.importId === undefined) {
    const start = { siteId, material, source, sourceName, format: formatOf(run), by, startedAt };
    run.importId = await recordStart(client, write, start);
  } else await showRunning(client, run.importId);
  await record?.hold(run.importId);
  options.onRecorded?.(run.importId);
  if (isNew) await takeSite(client, siteId, options);
}

async function takeSite(client: ClientBase, siteId: number, { wait, site }: JointOptions): Promise<void> {
  if (wait === true) return lockSiteData(client, [site]);
  if (!(await tryLockSite(client, siteId)))
    throw new ImportError(`Another import of site ${site} is running; start this one when it has finished`);
}

/** Records the result of the transaction. */
export async function recordPiece(
  client: ClientBase,
  siteId: number,
  run: ImportRun,
  totals: LoadTotals,
  failed: FailedFile | undefined,
): Promise<void> {
  const { options, importId, before } = run;
  if (importId === undefined) return;
  const { record, goesOn: more = false, undoableImports = UNDOABLE_IMPORTS } = options;
  const isWhole = record === undefined || (run.done === run.files.length && !more && failed === undefined);
  const label = failed?.label === undefined ? '' : `${failed.label}: `;
  await recordEnd(client, importId, {
    ...sumWith(before, endOf(run, totals)),
    status: isWhole ? 'done' : record.status,
    error: failed && `${label}${failed.error.message}`,
  });
  await forgetReplaced(client, siteId, undoableImports);
  if (!isWhole) await storeVersion(client, siteId, importId);
}
