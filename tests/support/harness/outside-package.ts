// A separate package with qal-analytics installed as published: built and packed by our own commands, from dist/ if it is up to
// date, otherwise in a copy. Only the dependencies in package.json are linked, so that a missing one is noticed.
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { outsideEnvironment } from '../outside-environment';

const ROOT = join(__dirname, '..', '..', '..');
const SOURCES = [
  'bin',
  'manifests',
  'extension',
  'host-shim',
  'db',
  'deploy',
  'docs',
  'tests/support',
  'tsconfig.json',
];
/** The last entries are pages and files that the docs link to. */
const OTHERS = [
  'tsconfig.build.json',
  'package.json',
  'package-lock.json',
  'Makefile',
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'LICENSE',
  'compose.yaml',
];

export interface Outcome {
  readonly code: number;
  readonly output: string;
}

export interface OutsidePackage {
  write(name: string, text: string): void;
  /** The files of the installed package, without its dependencies. */
  installedFiles(): readonly string[];
  /** Links packages from our node_modules as if they were installed. */
  link(...names: readonly string[]): void;
  /** Runs Node.js in the package, without the environment of this test run. */
  node(...args: readonly string[]): Promise<Outcome>;
  /** The same, with this PostgreSQL server for the hosts. */
  nodeOn(databaseUrl: string, ...args: readonly string[]): Promise<Outcome>;
  remove(): void;
}

export async function createOutsidePackage(): Promise<OutsidePackage> {
  const directory = mkdtempSync(join(tmpdir(), 'qal-outside-'));
  const source = await builtSource(join(directory, 'source'));
  await succeed(run('npm', ['pack', '--offline', '--silent', '--pack-destination', directory], source));

  const client = join(directory, 'client');
  const installed = join(client, 'node_modules', 'qal-analytics');
  mkdirSync(installed, { recursive: true });
  const { name, version, dependencies, optionalDependencies } = packageJson();
  await succeed(
    run('tar', ['-xzf', join(directory, `${name}-${version}.tgz`), '--strip-components=1'], installed),
  );
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  // Database programs for other platforms are not installed.
  linkAll(
    installed,
    Object.keys({ ...dependencies, ...optionalDependencies }).filter((one) =>
      existsSync(join(ROOT, 'node_modules', one)),
    ),
  );
  writeFileSync(join(client, 'package.json'), '{ "name": "client", "private": true }\n');
  return {
    installedFiles: () => files,
    write: (file, text) => writeFileSync(join(client, file), text),
    link: (...names) => linkAll(client, names),
    node: (...args) => run(process.execPath, args, client),
    nodeOn: (databaseUrl, ...args) => run(process.execPath, args, client, { TEST_DATABASE_URL: databaseUrl }),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/**
 * Returns a folder with an up-to-date dist/. If ours is outdated, a copy is built instead, because the program may be running
 * from ours.
 */
async function builtSource(copy: string): Promise<string> {
  // Prevents make from reinstalling the packages.
  const make = (...args: readonly string[]) => ['--old-file=node_modules/.installed', ...args, 'build'];
  if ((await run('make', make('--question'), ROOT)).code === 0) return ROOT;
  for (const name of [...SOURCES, ...OTHERS]) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  await succeed(run('make', make(), copy));
  return copy;
}

function packageJson() {
  const { name, version, dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  return { name, version, dependencies, optionalDependencies };
}

function linkAll(directory: string, names: readonly string[]): void {
  for (const name of names) {
    const place = join(directory, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), place);
  }
}

async function succeed(running: Promise<Outcome>): Promise<void> {
  const { code, output } = await running;
  if (code !== 0) throw new Error(output);
}

function run(
  program: string,
  args: readonly string[],
  cwd: string,
  more: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env: { ...outsideEnvironment(), ...more } }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code);
      resolve({ code: Number.isInteger(code) ? code : 1, output: stdout + stderr });
    });
  });
}
