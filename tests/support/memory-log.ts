// A log whose lines tests can read.
import { Writable } from 'node:stream';
import type { Logger } from 'pino';
import { createLog } from '../../host-shim/server/logging';

export function createMemoryLog(): { log: Logger; logged: Record<string, unknown>[] } {
  const logged: Record<string, unknown>[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      logged.push(JSON.parse(String(chunk)));
      done();
    },
  });
  return { log: createLog('debug', destination), logged };
}
