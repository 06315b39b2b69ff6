// The files to which `qal import` writes rejected rows: one for each imported file, or the one that the user named.
import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { WrongUsage } from '../../host-shim/extension-api';
import type { JointOptions } from '../data/import/import-options';
import { type Rejection, rejectionOf } from '../data/import/import-record';
import { type RejectedFile, type RejectedRow, rejectedFile } from '../data/import/rejected-rows';
import { rejectedFolder } from '../data/removal/visitor-files';
import { PREVIEW_ROWS } from './format-result';

export interface RejectedChoices {
  /** The file for rejected rows, if the user specified one. */
  readonly rejected: string | undefined;
  readonly dataDir: string;
  readonly sizes: readonly (number | undefined)[];
  /** Called with the path of each new file. */
  note(path: string): Promise<unknown>;
}

/** The file in the working directory for rejected rows from standard input and pipes. */
const STDIN_REJECTED = 'stdin.rejected.ndjson';

const MARK_DIGITS = 8;
const DATE_LENGTH = 10;

/**
 * The path to use if the folder of the imported file, or the working directory, is read-only. Files with the same name in other
 * folders, or imported into other sites, get their own paths, as does each `day` of a followed log, because old files are removed.
 */
export function rejectedFallback(dataDir: string, site: string, path: string, day?: Date): string {
  const mark = hash('sha256', JSON.stringify([site, resolve(path)]), 'hex').slice(0, MARK_DIGITS);
  const parts = [mark, day?.toISOString().slice(0, DATE_LENGTH), basename(path)];
  return join(rejectedFolder(dataDir), parts.filter((part) => part !== undefined).join('-'));
}

/** Throws a WrongUsage if the rejected rows would be added to one of the imported files. */
export async function refuseImported(files: readonly string[], rejected: string | undefined): Promise<void> {
  if (rejected === undefined) return;
  const taken = await identityOf(rejected);
  for (const file of files)
    if ((await identityOf(file)) === taken)
      throw new WrongUsage(`--rejected ${rejected} is the imported file ${file}; specify another file.`);
}

/** The same for all paths of a file, including links. A file that does not exist yet is identified by its path. */
const identityOf = (path: string): Promise<string> =>
  stat(path, { bigint: true }).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => resolve(path),
  );

export function rejectedRows(
  files: readonly string[],
  { rejected, dataDir, sizes, note }: RejectedChoices,
  { onError, dryRun, site }: Pick<JointOptions, 'onError' | 'dryRun' | 'site'>,
) {
  /** By the full path of the file. */
  const open = new Map<string, { readonly place: number; readonly file: RejectedFile }>();
  const written = new Set<string>();
  /** The index of the transaction's first file. */
  let first = 0;
  const paths: string[] = [];
  const shown: Rejection[] = [];
  /** A dry run writes no file unless the user named one. */
  const isShown = dryRun !== undefined && rejected === undefined;
  const isFile = (place: number): boolean => sizes[place] !== undefined;
  /** A file that the user named collects all rejected rows. All pipes share one, as do repeated names of one file. */
  const pathOf = (place: number): string =>
    rejected ?? (isFile(place) ? `${files[place]}.rejected.ndjson` : STDIN_REJECTED);
  const keyOf = (place: number): string => resolve(pathOf(place));
  const fileAt = (place: number): RejectedFile => {
    const path = pathOf(place);
    if (rejected !== undefined)
      return rejectedFile(path, { site, replacesOld: false, continues: true, note });
    const continues = written.has(keyOf(place));
    return rejectedFile(path, {
      site,
      replacesOld: isFile(place) && onError === 'skip' && !continues,
      continues,
      note,
      fallback: rejectedFallback(dataDir, site, path),
    });
  };
  const discard = async (): Promise<void> => {
    for (const { file } of open.values()) await file.discard();
    open.clear();
  };
  return {
    /** Called whenever an input file is opened, including when it is reread because a later one failed. */
    async begin(place: number): Promise<void> {
      if (isShown) return;
      if (open.size > 0 && place <= first) await discard();
      if (open.size === 0) first = place;
      if (!open.has(keyOf(place))) open.set(keyOf(place), { place, file: fileAt(place) });
    },
    async add(place: number, row: RejectedRow): Promise<void> {
      if (!isShown) return open.get(keyOf(place))?.file.add(row);
      if (shown.length < PREVIEW_ROWS)
        shown.push(rejectionOf(row, files.length > 1 ? files[place] : undefined));
    },
    /** Moves the rejected rows of the files before this index to their final paths. If that fails, discards the others. */
    async keep(before: number): Promise<void> {
      try {
        for (const [key, { place, file }] of open) {
          const path = place < before ? await file.keep() : await file.discard();
          if (path !== undefined) written.add(key);
          if (path !== undefined && !paths.includes(path)) paths.push(path);
          open.delete(key);
        }
      } finally {
        await discard();
      }
    },
    discard,
    paths: (): readonly string[] => paths,
    shown: (): readonly Rejection[] => shown,
  };
}
