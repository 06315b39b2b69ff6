import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ManifestError, readYaml } from './read-yaml';
import { type ContractFile, contractFileSchema } from './schema';

export const CONTRACTS_FOLDER = 'contracts';

/** The contract files, oldest first. Throws a ManifestError if there are none, or for the first invalid file. */
export function readContractFiles(
  directory: string,
): readonly { readonly name: string; readonly file: ContractFile }[] {
  const names = readdirSync(join(directory, CONTRACTS_FOLDER)).filter((name) => name.endsWith('.yaml'));
  if (names.length === 0) {
    throw new ManifestError(CONTRACTS_FOLDER, [
      { path: 'the folder', message: 'has no contract; it needs at least one <date>.yaml' },
    ]);
  }
  // The names are dates.
  return names.sort().map((file) => {
    const name = `${CONTRACTS_FOLDER}/${file}`;
    return { name, file: readYaml(join(directory, name), name, contractFileSchema) };
  });
}
