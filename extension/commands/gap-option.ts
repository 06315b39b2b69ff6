// qal import --gap: imports the missing part of a followed log from its rotated file.
import { resolve } from 'node:path';
import {
  type CommandInput,
  type HostTools,
  type InputFile,
  JobFailed,
  WrongUsage,
} from '../../host-shim/extension-api';
import { closeGap, openGaps } from '../data/import/followed-files';
import type { ImportOptions } from '../data/import/import-options';
import { bytesOf, holds, logFileAt } from '../data/import/log-files';

/** Opens the file of a gap at the gap's position. Throws a JobFailed if it is the wrong file. */
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
    throw new JobFailed(`There is no open gap ${gap}; "qal imports gaps" lists them all.`);
  if (found.trackingId !== site || found.material !== material)
    throw new JobFailed(`Gap ${gap} is in the dataset ${found.material} of site ${found.trackingId}.`);
  const bytes = await input.sizeOf(file);
  const log = await logFileAt(resolve(file));
  if (log === undefined || !(await holds(log, found)))
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

const SHELL_SAFE = /^[\w@%+=:,./-]+$/;

export const shellWord = (text: string): string =>
  SHELL_SAFE.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
