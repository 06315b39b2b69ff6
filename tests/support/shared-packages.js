// Jest loads every module separately for each test file. With this, Node.js loads packages, the program and the tests' support
// files once for all of a worker's files. Only the test file itself, and Jest's module with the state of its tests, are loaded for
// each file. All of them run in one realm (see one-realm.js), so that an error from a package is an `Error` in the tests.
const { readFileSync } = require('node:fs');
const { createRequire, isBuiltin } = require('node:module');
const { dirname, resolve, sep } = require('node:path');
const { compileFunction } = require('node:vm');
const { default: Runtime } = createRequire(require.resolve('jest'))('jest-runtime');
const { ROOMS, sourceMaps } = require('./load-typescript');

const isPackage = (name) => /^[^./]/.test(name) && !isBuiltin(name);
/** Early versions of Node 22 cannot require these packages, so Jest compiles them there. */
const NEEDS_JEST = process.features.require_module ? /^$/ : /^(temporal-polyfill|@noble\/)/;

/** The path of one of our modules. */
function ownModule(from, name) {
  if (!/^\.{0,2}\//.test(name)) return undefined;
  const path = resolve(dirname(from), name);
  return ROOMS.some((room) => path.startsWith(room + sep)) ? path : undefined;
}

class SharedPackages extends Runtime {
  constructor(...given) {
    super(...given);
    const [, , , , , { collectCoverage }, testPath] = given;
    // Jest can count and replace only the modules that it loads itself.
    this.sharesModules = !collectCoverage && !/^jest\.mock\('\./m.test(readFileSync(testPath, 'utf8'));
    this.transformCache.sourceMaps = sourceMaps;
    const { injectedModuleParameters } = this.executor;
    this.executor.compile = (source, filename) =>
      compileFunction(source, injectedModuleParameters, { filename });
  }

  requireModule(from, name, options, isActual) {
    if (options !== undefined || name === undefined)
      return super.requireModule(from, name, options, isActual);
    if (isPackage(name) && !NEEDS_JEST.test(name)) return require(name);
    const shared = this.sharesModules ? ownModule(from, name) : undefined;
    return shared === undefined ? super.requireModule(from, name, options, isActual) : require(shared);
  }

  requireInternalModule(from, name) {
    const isShared = name !== undefined && isPackage(name);
    return isShared ? createRequire(from)(name) : super.requireInternalModule(from, name);
  }
}

module.exports = { __esModule: true, default: SharedPackages };
