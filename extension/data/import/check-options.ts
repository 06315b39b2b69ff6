// Checks the options of an import before its first row.
import { hiddenFault } from '../storage/plain-text';
import { isTimezone } from '../storage/sites/zone-name';
import { ImportError } from './import-error';
import type { JointOptions } from './import-options';

/** Throws an ImportError. */
export function checkOptions({ timezone, source, sourceName }: JointOptions): void {
  checkTimezone(timezone);
  checkName('file', source);
  checkName('source', sourceName);
}

/** Lists of imports show it, on terminals too. */
function checkName(of: string, name: string | undefined): void {
  const fault = name === undefined ? undefined : hiddenFault(name);
  if (fault !== undefined) throw new ImportError(`The name of the ${of} ${fault}`);
}

function checkTimezone(timezone: string | undefined): void {
  if (timezone !== undefined && !isTimezone(timezone))
    throw new ImportError(`${timezone} is no time zone; give a full name such as Europe/Berlin, or UTC`);
}
