// qal import --gap: imports what was rotated away from a followed log, from the file in which the user has found it.
import { resolve } from 'node:path';
import { type CommandInput, type InputFile, JobFailed, WrongUsage } from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import { closeGap, openGaps } from '../data/import/followed-files';
import type { ImportOptions } from '../data/import/import-options';
import { bytesOf, holds, logFileAt } from '../data/import/log-files';

interface GapFile {
  open(): Promise<InputFile>;
  readonly closes: NonNullable<ImportOptions['alsoWrite']>;
}

/** What is missing of the file that this gap is in. Throws a JobFailed if that is not the file. */
export async function gapFile(
  { host }: Analytics,
  { site, material, gap }: { readonly site: string; readonly material: string; readonly gap: number },
  files: readonly string[],
  input: CommandInput,
): Promise<GapFile> {
  const [file = '-'] = files;
  if (files.length !== 1 || file === '-')
    throw new WrongUsage('--gap takes the one file that the gap is in.');
  const found = (await openGaps(host.database.read)).find(({ gapId }) => gapId === gap);
  if (found === undefined) throw new JobFailed(`There is no open gap ${gap}; "qal imports gaps" shows all.`);
  if (found.trackingId !== site || found.material !== material)
    throw new JobFailed(`Gap ${gap} is one of ${found.material} of ${found.trackingId}.`);
  const bytes = await input.sizeOf(file);
  const log = await logFileAt(resolve(file));
  if (log === undefined || !(await holds(log, found)))
    throw new JobFailed(
      `${file} is not the file that gap ${gap} is in: it holds something else before byte ${found.position}. If what it lacks is lost, or imported already, close it: qal imports close-gap ${gap}`,
    );
  return {
    open: async () => ({ stream: bytesOf(log, found.position), bytes }),
    async closes(client) {
      await closeGap(client, gap, host.clock());
    },
  };
}

const SHELL_SAFE = /^[\w@%+=:,./-]+$/;

/** An argument as a shell reads it. */
export const shellWord = (text: string): string =>
  SHELL_SAFE.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
