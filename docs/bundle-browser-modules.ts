// Bundles the files directly in `<package>/<module>/browser` and `<package>/<module>/style`. Modules in subfolders become shared
// chunks.
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type BuildResult, build } from 'esbuild';
import { ASSET_LIST, PUBLIC_FOLDER } from '../host-shim/admin/assets';
import { PACKAGE_ROOT } from '../host-shim/extension-api';

const KINDS = { browser: '.ts', style: '.css' } as const;

/** Pages refer to host-shim as `host`. */
const ownerOf = (folder: string): string => folder.replace(/-shim$/, '');

const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['dist', 'node_modules', 'tests']);

const foldersIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { withFileTypes: true })).flatMap((entry) =>
    entry.isDirectory() ? entry.name : [],
  );

/** Returns the file of each entry point by name. Names of stylesheets keep their extension: `extension/extension.css`. */
async function entryPoints(): Promise<Record<string, string>> {
  const entries: Record<string, string> = {};
  const packages = (await foldersIn(PACKAGE_ROOT)).filter((name) => !SKIPPED_FOLDERS.has(name));
  for (const packageName of packages) {
    for (const moduleName of await foldersIn(join(PACKAGE_ROOT, packageName))) {
      for (const [kind, extension] of Object.entries(KINDS)) {
        const folder = join(PACKAGE_ROOT, packageName, moduleName, kind);
        if (!existsSync(folder)) continue;
        for (const file of await readdir(folder, { withFileTypes: true })) {
          if (!file.isFile() || !file.name.endsWith(extension)) continue;
          const name = kind === 'browser' ? file.name.slice(0, -extension.length) : file.name;
          entries[`${ownerOf(packageName)}/${name}`] = join(folder, file.name);
        }
      }
    }
  }
  return entries;
}

function listOf(
  entries: Readonly<Record<string, string>>,
  { metafile }: BuildResult<{ metafile: true }>,
  folder: string,
): Record<string, string> {
  const names = new Map(Object.entries(entries).map(([name, path]) => [relative(PACKAGE_ROOT, path), name]));
  const list: Record<string, string> = {};
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) {
    const name = entryPoint === undefined ? undefined : names.get(entryPoint);
    if (name !== undefined) list[name] = relative(folder, join(PACKAGE_ROOT, path));
  }
  return list;
}

async function readBuiltList(): Promise<string | undefined> {
  const file = join(PUBLIC_FOLDER, ASSET_LIST);
  return existsSync(file) ? readFile(file, 'utf8') : undefined;
}

/** Builds into a separate folder, which replaces the old one unless nothing has changed. */
export async function bundleBrowserModules(): Promise<void> {
  const entries = await entryPoints();
  const folder = `${PUBLIC_FOLDER}-${process.pid}`;
  const result = await build({
    absWorkingDir: PACKAGE_ROOT,
    entryPoints: entries,
    outdir: folder,
    entryNames: '[dir]/[name]-[hash]',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    metafile: true,
    target: ['chrome123', 'firefox125', 'safari17.5'],
    legalComments: 'none',
    logLevel: 'warning',
  });
  const list = JSON.stringify(listOf(entries, result, folder));
  await writeFile(join(folder, ASSET_LIST), list);
  // A server or another test run may be serving the old files.
  if (list === (await readBuiltList())) {
    await rm(folder, { recursive: true });
    return;
  }
  await rm(PUBLIC_FOLDER, { recursive: true, force: true });
  await rename(folder, PUBLIC_FOLDER);
}

if (require.main === module) {
  bundleBrowserModules().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
