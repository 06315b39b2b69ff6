import { machineMemory } from '../../db/machine-memory';

const GB = 2 ** 30;
/** What Node.js returns for a process without a limit. */
const NO_LIMIT = 2 ** 64;

test.each([
  ['the memory of the machine, without a limit', NO_LIMIT, 16 * GB],
  ['the memory of the machine, if the limit is unknown', 0, 16 * GB],
  ['the limit of a container', 2 * GB, 2 * GB],
  ['the memory of the machine, if a limit is higher', 32 * GB, 16 * GB],
])('the program may use %s', (_, limit, expected) => {
  expect(machineMemory(limit, 16 * GB)).toBe(expected);
});
