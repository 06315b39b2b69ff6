// The source files that the architecture tests read.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const ROOT = join(__dirname, '..', '..');
const FOLDERS = ['manifests', 'extension', 'host-shim', 'db', 'docs', 'bench', 'tests'];

export interface SourceFile {
  /** Relative to the root, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** All TypeScript files, or all files with the given extension. */
export function sourceFiles(ending = '.ts'): readonly SourceFile[] {
  return FOLDERS.flatMap((folder) => filesBelow(join(ROOT, folder), ending)).map((file) => ({
    path: relative(ROOT, file).replaceAll('\\', '/'),
    text: readFileSync(file, 'utf8'),
  }));
}

function filesBelow(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path, ending);
    return entry.name.endsWith(ending) ? [path] : [];
  });
}

/** The code without comments and string contents, but with the same line breaks. */
export function bareCode(text: string): string {
  const pattern = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
  return text.replace(pattern, (found) => {
    const lines = found.replace(/[^\n]/g, '');
    return found.startsWith('/') ? lines : `''${lines}`;
  });
}
