// Runs a TypeScript program: node run-typescript.js program.ts <arguments>
// Caches each compiled file, so that the programs in tests start quickly.
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { join, resolve } = require('node:path');
const esbuild = require('esbuild/package.json');

const KEPT = resolve(__dirname, '../../node_modules/.cache/run-typescript');
const OPTIONS = {
  loader: 'ts',
  format: 'cjs',
  platform: 'node',
  target: 'node22',
  sourcemap: 'inline',
  sourcesContent: false,
  supported: { 'dynamic-import': false },
};
const digest = (text) => createHash('sha256').update(text).digest('hex');
const COMPILER = JSON.stringify([esbuild.version, OPTIONS]);

/** The last line of a cached file has a digest of its source. */
function compiled(file) {
  const text = readFileSync(file, 'utf8');
  const source = `\n//${digest(COMPILER + text)}`;
  const path = join(KEPT, `${digest(file)}.js`);
  const kept = readKept(path);
  if (kept.endsWith(source)) return kept;
  const { code } = require('esbuild').transformSync(text, { ...OPTIONS, sourcefile: file });
  const own = `${path}.${process.pid}`;
  writeFileSync(own, code + source);
  renameSync(own, path);
  return code;
}

function readKept(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}

mkdirSync(KEPT, { recursive: true });
Module.enableCompileCache(join(KEPT, 'v8'));
process.setSourceMapsEnabled(true);

require.extensions['.ts'] = (module, file) => module._compile(compiled(file), file);

// A dynamic import has the path that Node finds in dist/.
const find = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const isOurs = parent?.filename?.endsWith('.ts') && /^\.{1,2}\/.*\.js$/.test(request);
  return find.call(this, isOurs ? request.slice(0, -'.js'.length) : request, parent, ...rest);
};

process.argv.splice(1, 1);
Module._load(resolve(process.argv[1]), null, true);
