// What is done about a statement that the copy could not answer.
import type { Log } from '../../../host-shim/extension-api';
import { ColumnFileError } from './column-file-error';
import type { CopyState } from './read-copy';

/** What statements say that cannot give an exact number: see the dialect. */
const INEXACT = 'inexact';

/** Logs each kind of failure once; `onFatal` is called when the copy is of no more use. */
export function readFailures(log: Log, onFatal: () => void): CopyState['gaveUp'] {
  const loggedKinds = new Set<string>();
  return (error) => {
    const isOfFile = error instanceof ColumnFileError;
    if (isOfFile && error.message.endsWith(`: ${INEXACT}`))
      return { gaveUp: 'The column copy could not compute it exactly.' };
    if (isOfFile && error.isFatal) onFatal();
    const kind = isOfFile ? error.kind : 'Error';
    if (!loggedKinds.has(kind)) {
      loggedKinds.add(kind);
      log.warn({ err: error }, 'The column copy could not answer a query; rows did.');
    }
    return { gaveUp: `The column copy could not answer it: ${kind}.` };
  };
}
