// Runs PostgreSQL's programs as the server's account, without our environment variables.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Account } from './account';

export interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

export function asAccount(account: Account | null, cwd: string) {
  const identity = account === null ? {} : { uid: account.uid, gid: account.gid };
  return { ...identity, cwd, env: { PATH: '/usr/bin:/bin:/usr/local/bin', LC_ALL: 'C' } };
}

/** Never rejects: a program that cannot be started also has an outcome. */
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
