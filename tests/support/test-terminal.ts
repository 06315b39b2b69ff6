// A terminal in memory: standard input and both outputs are strings.
import { Readable, Writable } from 'node:stream';
import type { Terminal } from '../../host-shim/cli/command';
import { plainOutput } from '../../host-shim/cli/plain-output';

export interface TestTerminal extends Terminal {
  readonly out: () => string;
  readonly err: () => string;
}

function collector(): { stream: Writable; text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
}

export function createTestTerminal(input = ''): TestTerminal {
  const [stdout, stderr] = [collector(), collector()];
  return {
    stdin: Readable.from([input]),
    stdout: plainOutput(stdout.stream),
    stderr: plainOutput(stderr.stream),
    interactive: false,
    out: stdout.text,
    err: stderr.text,
  };
}
