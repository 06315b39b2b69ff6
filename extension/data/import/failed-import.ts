// The error of a failed import, and its record.
import type { Knex } from 'knex';
import { DatabaseError } from 'pg';
import { messageOf } from '../../../host-shim/extension-api';
import { inTransaction } from '../storage/in-transaction';
import { ConnectionLost } from './import-error';
import { type ImportEnd, recordFailure } from './record-import';

interface FailedImport {
  readonly write: Knex;
  /** Absent if the import has no record. */
  readonly importId?: number | undefined;
  /** Whether the import lost its connection. */
  readonly isLost: boolean;
  /** Whether everything was written and only the commit remained. */
  readonly isWritten: boolean;
  /** How much was imported before the failure. */
  readonly end: ImportEnd;
}

const LOST = 'The connection to the database was lost';
const NOTHING = `${LOST}, so nothing was imported. Import the file again.`;

/**
 * Records the failure of an import whose transaction could not record it. Returns the error to throw: the
 * original one, or one that explains it.
 */
export async function failedImport(error: unknown, failed: FailedImport): Promise<unknown> {
  const { write, importId, isWritten, end } = failed;
  const isLost = failed.isLost || isShutdown(error);
  const message = isLost ? NOTHING : messageOf(error);
  const isRecorded =
    importId === undefined ||
    (await inTransaction(write, (client) =>
      recordFailure(client, importId, { ...end, error: message }),
    ).catch(
      // A failure here must not hide why the import failed.
      () => undefined,
    ));
  if (!isLost) return error;
  if (isRecorded === true || !isWritten) return new ConnectionLost(NOTHING, error);
  return new ConnectionLost(
    isRecorded === false
      ? `${LOST} after import ${importId} was complete: all of its rows are stored.`
      : `${LOST} at the very end of import ${importId}; the list of imports shows whether it succeeded. Importing the file again does no harm.`,
    error,
  );
}

/** SQLSTATEs of a server that is shutting down or terminates this connection. */
const SHUTDOWN = /^57P0/;

const isShutdown = (error: unknown): boolean =>
  error instanceof DatabaseError && SHUTDOWN.test(error.code ?? '');
