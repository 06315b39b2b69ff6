import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { JobFailed, WrongUsage } from '../extension-api';
import type { Terminal } from './command';
import { isTerminal } from './plain-output';

const silent = new Writable({ write: (_chunk, _encoding, done) => done() });

/** Reads one line; undefined at the end of input. With `hidden`, the typed text is not echoed. */
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
  if (answer === undefined) throw new JobFailed('No password was entered; nothing was changed.');
  return answer;
}

/** Throws a WrongUsage if there is no way to enter a password, and a JobFailed if none is entered. */
export async function readPassword(
  terminal: Terminal,
  login: string,
  { passwordStdin }: { readonly passwordStdin?: true },
): Promise<string> {
  if (passwordStdin) {
    const line = await readLine(terminal);
    if (line === undefined || line === '')
      throw new WrongUsage('--password-stdin: there is no password on standard input.');
    return line;
  }
  if (!isTerminal(terminal.stdin)) {
    throw new WrongUsage('There is no terminal to enter the password on; use --password-stdin.');
  }
  const first = await ask(terminal, `Login password for ${login}: `);
  const second = await ask(terminal, 'Repeat the password: ');
  if (first !== second) throw new JobFailed('The two passwords differ; nothing was changed.');
  return first;
}

/** Throws a WrongUsage if there is no terminal. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  if (!isTerminal(terminal.stdin))
    throw new WrongUsage(`${question} There is no terminal to confirm this on; add --yes.`);
  return (await readLine(terminal, `${question} Type yes to continue: `))?.trim().toLowerCase() === 'yes';
}
