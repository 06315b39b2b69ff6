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

/** A string comes from a pipe, anything else from a person at a terminal. */
export type TestInput = string | AsyncIterable<string>;

export function createTestTerminal(input: TestInput = ''): TestTerminal {
  const [stdout, stderr] = [collector(), collector()];
  return {
    stdin:
      typeof input === 'string'
        ? Readable.from([input])
        : Object.assign(Readable.from(input), { isTTY: true }),
    stdout: plainOutput(stdout.stream),
    stderr: plainOutput(stderr.stream),
    interactive: false,
    out: stdout.text,
    err: stderr.text,
  };
}
