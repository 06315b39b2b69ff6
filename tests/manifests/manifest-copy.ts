// A copy of the shipped manifests, for tests that break it. The caller has to remove the copy.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHANNELS_FILE } from '../../manifests/reader/channels';
import { FORMATS_FOLDER } from '../../manifests/reader/formats';
import {
  CONTRACTS_FOLDER,
  MANIFEST_DIRECTORY,
  MATERIALS_FILE,
  STORAGE_FILE,
} from '../../manifests/reader/manifest';

export interface ManifestCopy {
  readonly directory: string;
  /** Replaces a string. Throws if the file does not contain it. */
  replace(file: string, from: string, to: string): void;
  read(file: string): string;
  write(file: string, text: string): void;
  /** Restores the shipped file. */
  restore(file: string): void;
  remove(): void;
}

export function copyManifest(): ManifestCopy {
  const directory = mkdtempSync(join(tmpdir(), 'manifest-'));
  for (const name of [MATERIALS_FILE, STORAGE_FILE, CHANNELS_FILE, CONTRACTS_FOLDER, FORMATS_FOLDER]) {
    cpSync(join(MANIFEST_DIRECTORY, name), join(directory, name), { recursive: true });
  }
  return {
    directory,
    replace(file, from, to) {
      const text = readFileSync(join(directory, file), 'utf8');
      if (!text.includes(from)) throw new Error(`${file} does not contain '${from}'`);
      writeFileSync(
        join(directory, file),
        text.replace(from, () => to),
      );
    },
    read: (file) => readFileSync(join(directory, file), 'utf8'),
    restore: (file) => cpSync(join(MANIFEST_DIRECTORY, file), join(directory, file)),
    write: (file, text) => writeFileSync(join(directory, file), text),
    remove: () => rmSync(directory, { recursive: true }),
  };
}
