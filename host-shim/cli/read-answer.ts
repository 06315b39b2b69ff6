// Asks on the terminal: a login password, which is not shown and typed twice unless it is the first line of standard input, and
// whether something shall be done.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { JobFailed, WrongUsage } from '../extension-api';
import type { Terminal } from './command';

const isTerminal = (stream: object): boolean => 'isTTY' in stream && stream.isTTY === true;

const silent = new Writable({ write: (_chunk, _encoding, done) => done() });

/** Reads one line; undefined at the end of the input. `hidden`: it is typed on a terminal and not shown. */
function readLine(terminal: Terminal, question = '', hidden = false): Promise<string | undefined> {
  return new Promise((resolve) => {
    const reader = createInterface({
      input: terminal.stdin,
      output: hidden ? silent : undefined,
      terminal: hidden,
    });
    terminal.stderr.write(question);
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
  const answer = await readLine(terminal, question, true);
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

/** Whether `yes` was typed. Throws a WrongUsage where there is no terminal. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  if (!isTerminal(terminal.stdin))
    throw new WrongUsage(`${question} There is no terminal to ask on; add --yes to do it.`);
  return (await readLine(terminal, `${question} Type yes to do it: `))?.trim().toLowerCase() === 'yes';
}
