import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BackupError } from '../../db/backup/backup-format';
import { codeOf } from '../../db/embedded/errors';

const MAX_OUTPUT = 500;
const MAX_HOURS = 12;
/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000;

interface BackupCommand {
  readonly command: string;
  readonly file: string;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/**
 * Runs QAL_BACKUP_COMMAND in a shell, in which `$1` is the file. Throws a BackupError if its exit code is not 0. If the signal is
 * aborted or the command takes too long, it is terminated together with everything that it started.
 */
export async function runBackupCommand({
  command,
  file,
  signal,
  timeoutMs = MAX_HOURS * 3_600_000,
}: BackupCommand): Promise<void> {
  signal.throwIfAborted();
  const child = spawn('/bin/sh', ['-c', command, 'sh', file], {
    // Runs in its own process group, so that the whole group can be terminated.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const tooLong = AbortSignal.timeout(timeoutMs);
  const ending = AbortSignal.any([signal, tooLong]);
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    killGroup(child.pid, 'SIGTERM');
    timer = setTimeout(() => {
      killGroup(child.pid, 'SIGKILL');
      // A daemon that left the group may hold these streams open.
      child.stdout.destroy();
      child.stderr.destroy();
    }, GRACE_MS);
  };
  ending.addEventListener('abort', end, { once: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(-MAX_OUTPUT);
    });
  const [code, killer] = await once(child, 'close').finally(() => {
    clearTimeout(timer);
    ending.removeEventListener('abort', end);
  });
  if (code === 0) return;
  const outcome = tooLong.aborted
    ? `had not finished after ${MAX_HOURS} hours`
    : killer === null
      ? `ended with exit code ${code}`
      : `was terminated by ${killer}`;
  throw new BackupError(
    `QAL_BACKUP_COMMAND ${outcome}${output.trim() === '' ? '.' : `: ${output.trim()}`} The backup ${file} is complete, but may not have been copied.`,
  );
}

/** Works even if the group's first process has exited. */
function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}
