import { setTimeout as pause } from 'node:timers/promises';

const PAUSE_MS = 10;

/** Waits until the condition holds. If it never does, the test times out. The pauses leave the processor free for other work. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(PAUSE_MS);
}
