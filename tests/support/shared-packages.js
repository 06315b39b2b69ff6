// Jest loads every module again for each test file. Here Node loads packages, once for all files of a worker; our own modules are
// still loaded for each file. All of them run in one realm, so that an error of a package is an `Error` for us: see one-realm.js.
const { createRequire, isBuiltin } = require('node:module');
const { compileFunction } = require('node:vm');
const { default: Runtime } = createRequire(require.resolve('jest'))('jest-runtime');

const isPackage = (name) => /^[^./]/.test(name) && !isBuiltin(name);
/** Early versions of Node 22 cannot require these, so Jest compiles them there. */
const NEEDS_JEST = process.features.require_module ? /^$/ : /^(temporal-polyfill|@noble\/)/;

class SharedPackages extends Runtime {
  constructor(...given) {
    super(...given);
    const { injectedModuleParameters } = this.executor;
    this.executor.compile = (source, filename) =>
      compileFunction(source, injectedModuleParameters, { filename });
  }

  requireModule(from, name, options, isActual) {
    const isShared = options === undefined && name !== undefined && isPackage(name) && !NEEDS_JEST.test(name);
    return isShared ? require(name) : super.requireModule(from, name, options, isActual);
  }
}

module.exports = { __esModule: true, default: SharedPackages };
