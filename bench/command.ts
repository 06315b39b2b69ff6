// Runs the program's commands and server in separate processes, as a user would.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const PROGRAM = join(__dirname, '../host-shim/cli/qal.js');
const MEMORY_HOOK = join(__dirname, 'report-memory.js');
const SETTINGS = {
  QAL_RATE_PER_HOUR: '0',
  QAL_RATE_PER_MINUTE: '0',
  QAL_RESULT_CACHE_MB: '0',
  PORT: '0',
  HEALTH_PORT: '0',
};

function start(dataDir: string, args: readonly string[]) {
  const child = spawn(process.execPath, ['-r', MEMORY_HOOK, PROGRAM, ...args], {
    env: { ...process.env, ...SETTINGS, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [, out, err, memory] = child.stdio;
  if (out === null || err === null || memory === undefined || memory === null || !('read' in memory))
    throw new Error('A process was started without its pipes.');
  return { child, out, err, memory };
}

interface CommandRun {
  readonly output: string;
  /** Peak resident memory. */
  readonly peakMegabytes: number;
}

/** If the command fails, throws an error that contains its error output. */
export async function runCommand(dataDir: string, args: readonly string[]): Promise<CommandRun> {
  const { child, out, err, memory } = start(dataDir, args);
  const [output, errorOutput, kilobytes, [code]] = await Promise.all([
    text(out),
    text(err),
    text(memory),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Error(`qal ${args.join(' ')} exited with ${code}: ${errorOutput}`);
  return { output, peakMegabytes: Number(kilobytes) / 1000 };
}

export interface ServedProgram {
  readonly url: string;
  /** The address of the separate listener for health checks. */
  readonly healthUrl: string;
  residentMegabytes(): number;
  /** Stops the server and returns its peak resident memory. */
  stop(): Promise<{ readonly peakMegabytes: number }>;
}

const READY = /Ready at (http:\/\/[^\s,]+)[\s\S]*Health checks at (http:\S+)\/healthz/;

/** Starts the server and waits until it is listening. */
export async function startServer(dataDir: string): Promise<ServedProgram> {
  const { child, out, err, memory } = start(dataDir, ['serve']);
  const ended = once(child, 'close');
  const errorOutput = text(err);
  const kilobytes = text(memory);
  const urls = await new Promise<Pick<ServedProgram, 'url' | 'healthUrl'>>((resolve, reject) => {
    let output = '';
    out.setEncoding('utf8').on('data', (piece: string) => {
      output += piece;
      const [, url, healthUrl] = READY.exec(output) ?? [];
      if (url !== undefined && healthUrl !== undefined) resolve({ url, healthUrl });
    });
    errorOutput.then((why) => reject(new Error(`The server did not start: ${why}`)), reject);
  });
  return {
    ...urls,
    residentMegabytes: () =>
      Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) / 1000,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return { peakMegabytes: Number(await kilobytes) / 1000 };
    },
  };
}
