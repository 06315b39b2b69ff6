// Runs one of our programs as a child process.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The argument that makes Node.js run the TypeScript file in the next argument. */
export const RUN_TYPESCRIPT = join(__dirname, 'run-typescript.js');

export interface ProgramProcess {
  readonly child: ChildProcess;
  /** The output so far. */
  readonly text: { out: string; err: string };
  /** The exit code. NaN if the process was ended by a signal. */
  readonly ended: Promise<number>;
}

export type Environment = Readonly<Record<string, string>>;

/** Starts Node.js with these arguments and keeps standard input open. */
export function startProgram(
  args: readonly string[],
  environment: Environment,
  more: SpawnOptions = {},
): ProgramProcess {
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { QAL_ENV_FILE: 'off', ...environment },
    stdio: 'pipe',
    ...more,
  });
  const text = { out: '', err: '' };
  child.stdout?.on('data', (chunk) => {
    text.out += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    text.err += String(chunk);
  });
  return { child, text, ended: once(child, 'close').then(([code]) => Number(code ?? Number.NaN)) };
}

/** Waits until a server prints its URL, and returns it. Rejects with the output if the process ends first. */
export function readyUrl({ child, text, ended }: ProgramProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => {
      if (text.out.includes('Press Ctrl-C to stop.')) resolve(/Ready at (\S+),/.exec(text.out)?.[1] ?? '');
    });
    ended.then((code) => reject(new Error(`The server exited with ${code}: ${text.err}`)));
  });
}

/**
 * Runs a TypeScript file as a program. Call this at the top of a test file; processes that are still running at its end are
 * killed.
 */
export function useProgram(file: string) {
  const running = new Map<ChildProcess, Promise<unknown>>();
  afterAll(async () => {
    for (const child of running.keys()) child.kill('SIGKILL');
    await Promise.all(running.values());
  });

  function start(args: readonly string[], environment: Environment = {}): ProgramProcess {
    const started = startProgram([RUN_TYPESCRIPT, file, ...args], environment);
    running.set(started.child, started.ended);
    return started;
  }

  return {
    start,
    async run(args: readonly string[], environment?: Environment, input = '') {
      const { child, text, ended } = start(args, environment);
      child.stdin?.end(input);
      return { code: await ended, ...text };
    },
    /** Starts a server on a free port and waits until it prints its URL. */
    async serve(environment: Environment) {
      const server = start(['serve', '--port', '0'], environment);
      return { ...server, url: await readyUrl(server) };
    },
  };
}
