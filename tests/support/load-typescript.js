// Lets `require` load TypeScript in Node.js. Compiled files are cached, so that programs start quickly in tests.
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { join, resolve } = require('node:path');
const esbuild = require('esbuild/package.json');

const ROOMS = ['db', 'docs', 'extension', 'host-shim', 'manifests', 'tests'].map((name) =>
  resolve(__dirname, '../..', name),
);
const KEPT = resolve(__dirname, '../../node_modules/.cache/run-typescript');
const OPTIONS = {
  loader: 'ts',
  format: 'cjs',
  platform: 'node',
  target: 'node22',
  sourcemap: 'both',
  sourcesContent: false,
  supported: { 'dynamic-import': false },
};
const digest = (text) => createHash('sha256').update(text).digest('hex');
const COMPILER = JSON.stringify([esbuild.version, OPTIONS]);

/** The path of the source map for each loaded file. */
const sourceMaps = new Map();

const keptPath = (file) => join(KEPT, `${digest(file)}.js`);

/** The last line of a cached file is a digest of the source. */
const lastLine = (text) => `\n//${digest(COMPILER + text)}`;

function compiled(file) {
  const text = readFileSync(file, 'utf8');
  const path = keptPath(file);
  sourceMaps.set(file, `${path}.map`);
  const kept = readKept(path);
  if (kept.endsWith(lastLine(text))) return kept;
  return keep(file, text, require('esbuild').transformSync(text, { ...OPTIONS, sourcefile: file }));
}

function keep(file, text, { code, map }) {
  const path = keptPath(file);
  replace(`${path}.map`, map);
  replace(path, code + lastLine(text));
  return code;
}

/**
 * Compiles all files that are not in the cache, except test files, which Jest compiles. Compiling each one as it is loaded takes
 * several times as long.
 */
async function compileAll() {
  const files = ROOMS.flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' }).map((name) => join(room, name)),
  );
  const missing = files.filter((file) => /(?<!\.test)\.ts$/.test(file) && !existsSync(keptPath(file)));
  await Promise.all(
    missing.map(async (file) => {
      const text = readFileSync(file, 'utf8');
      keep(file, text, await require('esbuild').transform(text, { ...OPTIONS, sourcefile: file }));
    }),
  );
}

function replace(path, text) {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, text);
  renameSync(own, path);
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

require.extensions['.ts'] = (module, file) => module._compile(compiled(file), file);

// Dynamic imports contain the path that Node.js resolves in dist/.
const find = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const isOurs = parent?.filename?.endsWith('.ts') && /^\.{1,2}\/.*\.js$/.test(request);
  return find.call(this, isOurs ? request.slice(0, -'.js'.length) : request, parent, ...rest);
};

module.exports = { ROOMS, compileAll, sourceMaps };
