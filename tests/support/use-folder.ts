import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { throwawayFolder } from './throwaway-postgres';

interface FolderOptions {
  /** The tests of the file share it; by default, each test has an empty one. */
  readonly perFile?: boolean;
  /** For many or large files: in memory, if there is room. */
  readonly inMemory?: boolean;
}

/** A temporary folder for the tests of a file. */
export function useFolder({ perFile = false, inMemory = false }: FolderOptions = {}): string {
  const folder = join(inMemory ? throwawayFolder() : tmpdir(), `qal-test-${randomUUID()}`);
  const create = async () => void (await mkdir(folder, { mode: 0o700 }));
  const remove = () => rm(folder, { recursive: true, force: true });
  if (perFile) {
    beforeAll(create);
    afterAll(remove);
  } else {
    beforeEach(create);
    afterEach(remove);
  }
  return folder;
}
