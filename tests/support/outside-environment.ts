// The environment for a program that a test starts, as if no test were running.
import { TEST_SERVER_VARIABLE } from './borrow-server';

/** The environment without the variables of the test runner and those in `without`. */
export function outsideEnvironment(...without: readonly string[]): NodeJS.ProcessEnv {
  const ours = new Set([TEST_SERVER_VARIABLE, 'NODE_ENV', 'NODE_OPTIONS', 'JEST_WORKER_ID', ...without]);
  const outside = Object.entries(process.env).filter(([name]) => !ours.has(name));
  // A settings file in /etc would belong to another installation.
  return { ...Object.fromEntries(outside), QAL_ENV_FILE: 'off' };
}
