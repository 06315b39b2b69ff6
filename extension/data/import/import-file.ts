// An import of one file. If anything fails, nothing of the file remains in the site's data.
import type { ImportOptions, ImportReport } from './import-options';
import { importTogether } from './import-together';

/** Imports one file. Throws an ImportError if it cannot, and leaves the data as it was. */
export function importFile({
  input,
  fileName,
  onRejected,
  ...options
}: ImportOptions): Promise<ImportReport> {
  return importTogether(options, [
    { name: fileName, open: async () => input, ...(onRejected && { onRejected }) },
  ]);
}
