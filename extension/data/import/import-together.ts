// Imports whole files in one transaction, one import per site at a time. If a file fails, only those
// before it are imported; if the first one fails, the site's data stays unchanged.
import type { Client } from 'pg';
import { codeOf, messageOf } from '../../../host-shim/extension-api';
import { inTransaction } from '../storage/in-transaction';
import { hiddenFault } from '../storage/plain-text';
import { refreshStatistics, vacuumEmpty } from '../storage/planner';
import { lockSiteData, lockSiteWithTimeout } from '../storage/site-locks';
import { isTimezone } from '../storage/sites/zone-name';
import { storedMaterials } from '../storage/stored-materials';
import { WorkerUnavailable } from '../storage/workers';
import { failedImport } from './failed-import';
import { findSite } from './find-site';
import type { ImportedBy } from './import-counts';
import { ConnectionLost, ImportError } from './import-error';
import {
  type ImportedFile,
  type ImportOptions,
  type ImportReport,
  type JointOptions,
  type JointReport,
  UNDOABLE_IMPORTS,
} from './import-options';
import { findLoader } from './loaders';
import { countsOf, endOf, formatOf, newReading, readFiles, refuseStopped, stopOf } from './read-files';
import { LEFT_OUT } from './read-pairs';
import { openRunRecord } from './run-record';

const BY_COMMAND: ImportedBy = { login: 'local', through: 'command' };

/** Imports one file. Throws an ImportError, and changes nothing, if the file cannot be imported. */
export const importFile = ({
  input,
  fileName,
  onRejected,
  ...options
}: ImportOptions): Promise<ImportReport> =>
  importTogether(options, [{ name: fileName, open: async () => input, ...(onRejected && { onRejected }) }]);

/**
 * Imports as many of the files as one transaction can take. Throws an ImportError, and changes nothing, if the first file cannot
 * be imported.
 */
export async function importTogether(
  options: JointOptions,
  files: readonly ImportedFile[],
): Promise<JointReport> {
  checkOptions(options);
  const { write } = options;
  const start = performance.now();
  const { material } = findLoader(options.manifest, options.material);
  const siteId = await findSite(write, options.site);
  checkWorker(siteId, options);
  const allTables = storedMaterials(options.manifest).map(({ table }) => table);
  await vacuumEmpty(write, siteId, allTables);
  const record = options.record ?? openRunRecord(write, options.clock);
  const isDry = options.dryRun !== undefined;
  let reading = newReading({ options, files, record });
  /** Why the file after those being read was not imported. */
  let failure: ImportError | undefined;
  let isRead = false;
  let isLost = false;
  let isWritten = false;

  const load = async (client: Client) => {
    // The memory is for the transition tables of triggers, which contain the rows of a batch. The flush makes PostgreSQL count the
    // rows (dead ones, if the import fails) as soon as the transaction ends, because refreshStatistics and vacuumEmpty need the counts.
    await client.query("SET LOCAL work_mem = '32MB'; SELECT pg_stat_force_next_flush()");
    const loader = await readFiles(client, siteId, reading);
    isRead = true;
    const loaded = await loader.finish();
    refuseStopped(reading);
    if (!isDry) {
      await options.alsoWrite?.(client, siteId);
      refuseStopped(reading);
      await record.add(client, siteId, {
        end: endOf(reading, loaded),
        isLast: reading.done === files.length && options.continues !== true,
        error: failure?.message,
        undoable: options.undoableImports ?? UNDOABLE_IMPORTS,
      });
    }
    isWritten = true;
    return { counts: countsOf(reading, loaded), tables: loader.tables };
  };

  const begin = async (client: Client): Promise<void> => {
    const { source, sourceName, onConflict = 'replace', by = BY_COMMAND, clock, onRecorded } = options;
    const takeSite = async () => {
      refuseStopped(reading);
      await lockSite(client, siteId, options);
    };
    if (isDry) return takeSite();
    const rest = { format: formatOf(reading), by, startedAt: clock(), takeSite, onRecorded };
    await record
      .begin(client, { siteId, material: material.name, source, sourceName, onConflict, ...rest })
      .catch((error: unknown) => {
        throw codeOf(error) === NO_SUCH_SITE ? siteRemoved(options.site) : error;
      });
  };

  /** After all files have been read, only an error with a line is attributed to a file. */
  const inFile = (error: unknown): unknown => {
    if (!(error instanceof ImportError)) return error;
    const { file, line } = error.place;
    const label = (file === undefined ? reading.file : files[file])?.label;
    return label === undefined || (isRead && line === undefined) ? error : error.in(label);
  };

  /** The files before the one that failed; none if the import failed for another reason. */
  const filesBefore = (error: unknown): readonly ImportedFile[] => {
    // If all files were read, none of them is at fault, and importing them again would fail again.
    const isOfFile = !isRead && options.signal?.aborted !== true;
    return isOfFile && error instanceof ImportError ? files.slice(0, reading.done) : [];
  };

  /**
   * Holds the import's lock until the transaction ends, so that every import is always seen as either
   * running or finished.
   */
  const work = async (client: Client, cancel: () => Promise<void>) => {
    let isBegun = false;
    for (;;) {
      try {
        return await cancellable(options.signal, cancel, async () => {
          if (!isBegun) await begin(client);
          if (!isBegun && !isDry) await client.query('SAVEPOINT import');
          isBegun = true;
          return load(client);
        });
      } catch (caught) {
        // Stopping cancels the running statement, and may end the input.
        const error = stopOf(reading) ?? inFile(caught);
        if (isDry || isLost) throw error;
        const rethrow = () => Promise.reject(error);
        if (isBegun) await client.query('ROLLBACK TO SAVEPOINT import').catch(rethrow);
        const before = failure === undefined ? filesBefore(error) : [];
        if (before.length === 0 || !(error instanceof ImportError)) {
          // Following a log may stop at any time: the next run reads this piece again.
          const isPause = record.status === 'following' && options.signal?.aborted === true && record.soFar();
          if (!isPause) await record.fail(client, endOf(reading), messageOf(error)).catch(rethrow);
          return { error };
        }
        failure = error;
        reading = newReading({ options, files: before, record });
      }
    }
  };

  const outcome = await inTransaction(write, work, {
    end: isDry ? 'ROLLBACK' : 'COMMIT',
    onLost: () => {
      isLost = true;
    },
  }).catch(async (error: unknown) => {
    const importId = record.importId();
    throw await failedImport(error, { write, importId, isLost, isWritten, end: endOf(reading) });
  });
  if ('error' in outcome) throw outcome.error;
  record.committed();
  const { counts, tables } = outcome;
  const stale = await refreshStatistics(write, siteId, tables, isDry ? 0 : counts.added + counts.updated);
  const warning = [...new Set([stale, ...reading.warnings])].join(' ').trim();
  const seconds = Math.round(performance.now() - start) / 1000;
  return {
    ...counts,
    importId: record.importId(),
    format: formatOf(reading),
    files: reading.done,
    seconds,
    ...(isDry && { preview: reading.preview }),
    ...(warning !== '' && { warning }),
    ...(failure && { failure }),
  };
}

/** Cancels the running statement of `work` if the import is stopped. */
async function cancellable<T>(
  signal: AbortSignal | undefined,
  cancel: () => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  let cancelling: Promise<void> | undefined;
  const stop = (): void => {
    // If the statement cannot be canceled, the import stops before its next batch.
    cancelling = cancel().catch(() => undefined);
  };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await work();
  } finally {
    signal?.removeEventListener('abort', stop);
    // Until the cancellation has ended, the connection must not be used for anything else.
    await cancelling;
  }
}

function checkWorker(siteId: number, { workers }: JointOptions): void {
  try {
    workers?.check([siteId]);
  } catch (error) {
    if (!(error instanceof WorkerUnavailable)) throw error;
    throw new ConnectionLost(
      `${error.message} Nothing was imported. Import the file again when the worker is back.`,
      error,
    );
  }
}

async function lockSite(client: Client, siteId: number, { wait, site }: JointOptions): Promise<void> {
  if (wait === true) await lockSiteData(client, site);
  else if (!(await lockSiteWithTimeout(client, site)))
    throw new ImportError(
      `Another import into site ${site} is running; start this one when that one has finished`,
    );
  const { rowCount } = await client.query('SELECT FROM analytics.site WHERE site_id = $1', [siteId]);
  if (rowCount === 0) throw siteRemoved(site);
}

/** SQLSTATE for a violated foreign key: an import's record cannot be added after its site was removed. */
const NO_SUCH_SITE = '23503';

const siteRemoved = (site: string): ImportError =>
  new ImportError(`Site ${site} was removed before the import began`);

/** Throws an ImportError if an option is invalid. */
function checkOptions({ renamed = new Map(), timezone, source, sourceName }: JointOptions): void {
  if (timezone !== undefined && !isTimezone(timezone))
    throw new ImportError(`${timezone} is not a time zone; write a full name such as Europe/Berlin, or UTC`);
  for (const [column, fields] of Map.groupBy(renamed, ([, column]) => column))
    if (fields.length > 1 && column !== LEFT_OUT)
      throw new ImportError(
        `${fields.map(([field]) => field).join(' and ')} would both be imported as ${column}`,
      );
  if (sourceName === '')
    throw new ImportError('The name of the source is empty; specify a name, or leave it out');
  // Lists of imports show these names, even on terminals, so all of their characters must be visible.
  for (const [of, name] of Object.entries({ file: source, source: sourceName })) {
    const fault = name === undefined ? undefined : hiddenFault(name);
    if (fault !== undefined) throw new ImportError(`The name of the ${of} ${fault}`);
  }
}
