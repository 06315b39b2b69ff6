// The guide's texts are the installed files, read anew for each request.
import { readFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { join } from 'node:path';
import { MANIFEST_DIRECTORY } from '../../manifests/reader/manifest';
import { guideOf, startContractHost, VERSIONS } from '../contracts/contract-host';
import type { TestHost } from '../support/test-host';

interface Section {
  readonly file: string;
  readonly content: string;
}

let host: TestHost;
beforeAll(async () => {
  host = await startContractHost();
});
afterAll(() => host.stop());
afterEach(() => jest.restoreAllMocks());

const sectionsOf = async (version: string): Promise<readonly Section[]> =>
  (await guideOf(host, version)).documentation.sections;

test.each([
  ['README.md', 'guide/README.md'],
  ['materials.yaml', 'materials.yaml'],
  ['qal-validation.yaml', 'contracts/2026-05-11.yaml'],
])('%s is an installed file', async (file, path) => {
  const section = (await sectionsOf('2026-05-11')).find((it) => it.file === file);
  expect(section?.content).toBe(readFileSync(join(MANIFEST_DIRECTORY, path), 'utf8'));
});

test.each(VERSIONS)('at %s a changed file is told at the next request', async (version) => {
  const before = await sectionsOf(version);
  const read = promises.readFile;
  jest
    .spyOn(promises, 'readFile')
    .mockImplementation(async (path, options) => `changed ${await read(path, options)}`);
  const after = await sectionsOf(version);
  expect(after.map(({ content }) => content)).toEqual(before.map(({ content }) => `changed ${content}`));
});
