// The release script, in a small repository whose make targets and checks only record that they ran.
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { outsideEnvironment } from '../outside-environment';

const ROOT = join(__dirname, '../../..');
const CHANGELOG =
  '# Changelog\n\n## Unreleased\n\n### Pages\n\n- A new page.\n\n## 0.9.0, 2026-01-01\n\n- The first.\n';
const MAKEFILE = `
published upgrade-fixture docs test-long audit try-package:
\techo $@ >>"$(LOG)"
\t[ $@ != docs ] || echo new >docs.md
package:
\techo package >>"$(LOG)"
\tmkdir -p "$(FOLDER)" && echo packed >"$(FOLDER)/qal-analytics-1.0.0.tgz"
`;

let folder: string;
let repository: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'qal-release-test-'));
  repository = join(folder, 'repository');
  for (const file of ['.ci/release', '.ci/date-changelog.mjs']) {
    mkdirSync(dirname(join(repository, file)), { recursive: true });
    cpSync(join(ROOT, file), join(repository, file));
  }
  for (const check of ['run', 'try-image']) addProgram(check, `#!/bin/sh\necho ${check} >>"$LOG"\n`);
  write('Makefile', MAKEFILE);
  write('CHANGELOG.md', CHANGELOG);
  write('package.json', '{ "name": "qal-analytics", "version": "0.9.0" }\n');
  write('.gitignore', 'releases/\n');
  write('docs.md', 'old\n');
  await git('init', '--quiet', '--initial-branch=main');
  await git('config', 'user.name', 'Ann');
  await git('config', 'user.email', 'ann@example.com');
  await commit('Begin');
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (file: string, text: string) => writeFileSync(join(repository, file), text);
const read = (file: string) => readFileSync(join(repository, file), 'utf8');
const git = async (...args: readonly string[]) => (await run('git', args)).output.trim();

function addProgram(name: string, text: string): void {
  write(`.ci/${name}`, text);
  chmodSync(join(repository, '.ci', name), 0o755);
}

async function commit(subject: string): Promise<void> {
  await git('add', '--all');
  await git('commit', '--quiet', '--message', subject);
}

function run(program: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  const env = { ...outsideEnvironment('CI', 'CITUS_URLS', 'MAKEFLAGS', 'MFLAGS'), LOG: join(folder, 'log') };
  return new Promise((resolve) =>
    execFile(program, args, { cwd: repository, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    ),
  );
}

const release = (...args: readonly string[]) => run('.ci/release', args);

test('commits and tags a version after all checks, and prints how to publish it', async () => {
  const { code, output } = await release('1.0.0');
  expect({ code, output }).toEqual({
    code: 0,
    output: expect.stringContaining('git push origin main v1.0.0'),
  });
  expect(output).toContain('npm publish releases/qal-analytics-1.0.0.tgz --access public\n');
  expect(readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')).toEqual([
    ...['published', 'upgrade-fixture', 'docs'],
    ...['run', 'test-long', 'audit', 'package', 'try-package', 'try-image'],
  ]);
  expect(read('releases/qal-analytics-1.0.0.tgz')).toBe('packed\n');
  expect(JSON.parse(read('package.json')).version).toBe('1.0.0');
  expect(read('CHANGELOG.md')).toMatch(
    /^# Changelog\n\n## Unreleased\n\n## 1\.0\.0, \d{4}-\d\d-\d\d\n\n### Pages\n\n- A new page\.\n\n## 0\.9\.0, /,
  );
  expect(read('docs.md')).toBe('new\n');
  expect(await git('log', '-1', '--format=%s')).toBe('Release 1.0.0');
  expect(await git('rev-parse', 'v1.0.0^{commit}')).toBe(await git('rev-parse', 'HEAD'));
  expect(await git('status', '--porcelain')).toBe('');
});

test('changes nothing if a check fails', async () => {
  addProgram('run', '#!/bin/sh\nexit 1\n');
  await commit('Break it');
  const broken = await git('rev-parse', 'HEAD');
  expect((await release('1.0.0')).code).toBe(1);
  expect(await git('rev-parse', 'HEAD')).toBe(broken);
  expect(await git('tag')).toBe('');
});

test.each<[string, () => unknown, string, RegExp]>([
  ['a missing version', () => undefined, '', /Specify the version/],
  ['an incomplete version', () => undefined, '1.0', /Specify the version/],
  ['uncommitted changes', () => write('docs.md', 'draft\n'), '1.0.0', /Commit your changes first/],
  ['an untracked file', () => write('more.md', 'draft\n'), '1.0.0', /Commit your changes first/],
  ['an existing tag', () => git('tag', 'v1.0.0'), '1.0.0', /The tag v1\.0\.0 already exists/],
  ['a detached HEAD', () => git('checkout', '--quiet', '--detach'), '1.0.0', /Check out the branch/],
  ['a version that is already in the changelog', () => undefined, '0.9.0', /already has version 0\.9\.0/],
])('refuses %s', async (_what, prepare, version, words) => {
  await prepare();
  expect(await release(version)).toEqual({ code: 2, output: expect.stringMatching(words) });
  expect(await git('log', '-1', '--format=%s')).toBe('Begin');
});

test('rejects a version without changes', async () => {
  write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n## 0.9.0, 2026-01-01\n\n- The first.\n');
  await commit('Release 0.9.0');
  const { code, output } = await release('1.0.0');
  expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(/no changes under/) });
});
