import { totalmem } from 'node:os';

/** The bytes of memory that the program may use: the machine's, or a lower limit of its container or service (cgroup). */
export function machineMemory(
  limit: number = process.constrainedMemory(),
  total: number = totalmem(),
): number {
  // 0 means unknown; without a limit, the number is larger than any machine's memory.
  return limit === 0 ? total : Math.min(limit, total);
}
