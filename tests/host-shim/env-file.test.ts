// The settings file: where it is found, which values override it, and when it is rejected.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { addCommands } from '../../host-shim/cli/command-line';
import { PRODUCT } from '../../host-shim/main';
import { listSettings } from '../../host-shim/server/config';
import { findSettings } from '../../host-shim/server/env-file';
import { useFolder } from '../support/use-folder';

const folder = useFolder();
let dataDir: string;
beforeEach(() => {
  dataDir = join(folder, 'data');
  mkdirSync(dataDir);
});

function createFile(path: string, text: string, mode = 0o640): string {
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const system = () => join(folder, 'system.env');
const KNOWN = listSettings(PRODUCT.extensions).map(({ variable }) => variable);
const find = (process: Readonly<Record<string, string>>) => findSettings(process, KNOWN, system());

test('QAL_ENV_FILE takes precedence over the file in the data directory, which takes precedence over the system-wide file; environment variables override all files', () => {
  const named = createFile(join(folder, 'named.env'), 'PORT=1001\n');
  createFile(system(), '# system-wide\nPORT=1003\nexport HOST="::1"\n');
  expect(find({ DATA_DIR: dataDir }).environment).toMatchObject({ PORT: '1003', HOST: '::1' });
  const inDataDir = createFile(join(dataDir, 'qal.env'), "PORT='1002'\n");
  const found = find({ DATA_DIR: dataDir, LOG_LEVEL: 'info', HOST: ' ' });
  expect(found.environment).toEqual({ DATA_DIR: dataDir, LOG_LEVEL: 'info', PORT: '1002' });
  expect(['LOG_LEVEL', 'PORT', 'HOST'].map(found.sourceOf)).toEqual(['environment', inDataDir, undefined]);
  expect(find({ DATA_DIR: dataDir, QAL_ENV_FILE: named }).environment.PORT).toBe('1001');
  expect(find({ DATA_DIR: dataDir, QAL_ENV_FILE: named, PORT: '7' }).environment.PORT).toBe('7');
  expect(find({ DATA_DIR: dataDir, QAL_ENV_FILE: 'off' }).environment.PORT).toBeUndefined();
});

test.each([
  ['that others can read', 'PORT=1\n', 0o644, /every account on this machine can read or change it/],
  ['with an invalid line', 'PORT=1\nport 2\n', 0o600, /line 2 must be NAME=value/],
  ['with a misspelled name', 'PROT=1\n', 0o600, /line 1: PROT is not a setting/],
])('a file %s is rejected', (_what, text, mode, reason) => {
  createFile(join(dataDir, 'qal.env'), text, mode);
  expect(() => find({ DATA_DIR: dataDir })).toThrow(reason);
});

test('an empty value in a file is treated as unset', () => {
  createFile(join(dataDir, 'qal.env'), 'PORT=\nHOST=""\n');
  const { environment, sourceOf } = find({ DATA_DIR: dataDir });
  expect([environment.PORT, environment.HOST, sourceOf('PORT')]).toEqual([undefined, undefined, undefined]);
});

test('a QAL_ENV_FILE that does not exist is an error', () => {
  expect(() => find({ QAL_ENV_FILE: join(folder, 'none.env') })).toThrow(/cannot be read/);
});

test('qal config shows the source of each value, and hides secrets', async () => {
  const file = createFile(
    join(folder, 'named.env'),
    'DATABASE_URL=postgresql://me:hidden@db.example/stats\nPORT=1001\n',
  );
  const printed: string[] = [];
  const write = jest
    .spyOn(process.stdout, 'write')
    .mockImplementation((text) => printed.push(String(text)) > 0);
  try {
    const program = new Command('qal');
    addCommands(program, PRODUCT, { QAL_ENV_FILE: file, HOST: '::1' }, new AbortController().signal);
    await program.parseAsync(['config'], { from: 'user' });
  } finally {
    write.mockRestore();
  }
  const lines = printed
    .join('')
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  expect(lines).toContainEqual(['PORT', '1001', file]);
  expect(lines).toContainEqual(['HOST', '::1', 'environment']);
  expect(lines).toContainEqual(['REST_PREFIX', '/wp-json', 'default']);
  expect(lines).toContainEqual(['DATABASE_URL', 'set; not shown, it may contain a password', file]);
  expect(printed.join('')).not.toContain('hidden');
});
