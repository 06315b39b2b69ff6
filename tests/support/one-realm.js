// The environment for test files: they use the globals of their worker, and changes that a file makes to these are reverted
// afterwards.
const { createRequire } = require('node:module');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const fromJest = createRequire(require.resolve('jest'));
const { LegacyFakeTimers, ModernFakeTimers } = fromJest('@jest/fake-timers');
const { ModuleMocker } = fromJest('jest-mock');

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
/** V8 lets garbage grow to four times the memory in use. */
const MAX_HEAP_BYTES = 1000 * 2 ** 20;

module.exports = class OneRealm {
  constructor({ projectConfig: config }) {
    const global = globalThis;
    this.global = global;
    this.moduleMocker = new ModuleMocker(global);
    const timerConfig = { idToRef: (id) => id, refToId: (timer) => timer };
    this.fakeTimers = new LegacyFakeTimers({ config, global, moduleMocker: this.moduleMocker, timerConfig });
    this.fakeTimersModern = new ModernFakeTimers({ config, global });
    const { exit, env } = process;
    const before = { ...env };
    const ownConsole = global.console;
    this.restore = () => {
      process.exit = exit;
      for (const name of Object.keys(env)) if (!(name in before)) delete env[name];
      Object.assign(env, before);
      global.console = ownConsole;
      // Otherwise, Jest would use the handlers of the first file for the next one, and miss errors outside of its tests.
      delete global[Symbol.for('EVENT_HANDLERS')];
    };
  }

  async setup() {}

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    this.restore();
    if (process.memoryUsage().heapUsed > MAX_HEAP_BYTES) collectGarbage();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return this.global;
  }
};
