// Reads a login password without showing it: typed twice on a terminal, or the first line of standard input.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { JobFailed, WrongUsage } from '../extension-api';
import type { Terminal } from './command';

const isTerminal = (stream: object): boolean => 'isTTY' in stream && stream.isTTY === true;

const silent = new Writable({ write: (_chunk, _encoding, done) => done() });

/** Reads one line; undefined at the end of the input. After a question the line is typed on a terminal and not shown. */
function readLine(terminal: Terminal, question?: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const hidden = question !== undefined;
    const reader = createInterface({
      input: terminal.stdin,
      output: hidden ? silent : undefined,
      terminal: hidden,
    });
    if (hidden) terminal.stderr.write(question);
    let line: string | undefined;
    reader.once('line', (text) => {
      line = text;
      reader.close();
    });
    reader.once('SIGINT', () => reader.close());
    reader.once('close', () => resolve(line));
  });
}

async function ask(terminal: Terminal, question: string): Promise<string> {
  const answer = await readLine(terminal, question);
  terminal.stderr.write('\n');
  if (answer === undefined) throw new JobFailed('No password was given; nothing was changed.');
  return answer;
}

/** The login password for an account. Throws a WrongUsage where there is no way to ask, a JobFailed where none is given. */
export async function readPassword(
  terminal: Terminal,
  asked: { login: string; fromStdin: boolean },
): Promise<string> {
  if (asked.fromStdin) {
    const line = await readLine(terminal);
    if (line === undefined || line === '')
      throw new WrongUsage('--password-stdin found no password on standard input.');
    return line;
  }
  if (!isTerminal(terminal.stdin)) {
    throw new WrongUsage('There is no terminal to ask for the password on; give it with --password-stdin.');
  }
  const first = await ask(terminal, `Login password of ${asked.login}: `);
  const second = await ask(terminal, 'The same again: ');
  if (first !== second) throw new JobFailed('The two passwords differ; nothing was changed.');
  return first;
}
