// Runs PostgreSQL's programs with the server's account, in an environment without our variables.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Account } from './account';

export interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

/** The spawn options of every program of the server. */
export function asAccount(account: Account | null, cwd: string) {
  const identity = account === null ? {} : { uid: account.uid, gid: account.gid };
  return { ...identity, cwd, env: { PATH: '/usr/bin:/bin:/usr/local/bin', LC_ALL: 'C' } };
}

/** Runs a program to its end. Never rejects: a program that cannot be started has an outcome, too. */
export async function runProgram(
  path: string,
  args: readonly string[],
  account: Account | null,
  cwd: string,
): Promise<Outcome> {
  return new Promise((resolve) => {
    let output = '';
    const child: ChildProcess = spawn(path, args, {
      ...asAccount(account, cwd),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (code) => resolve({ ok: code === 0, output: output.trim() }));
  });
}
