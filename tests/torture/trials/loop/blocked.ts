// Measures how long a server's event loop was blocked, in CPU time, which does not include other programs.
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Environment } from '../../../support/program-process';

/** The environment of a server that reports to the socket at `place`. */
export const watchLoopAt = (place: string, nodeOptions = ''): Environment => ({
  NODE_OPTIONS: `${nodeOptions} --import ${pathToFileURL(join(__dirname, 'watch-loop.mjs')).href}`.trim(),
  WATCH_LOOP: place,
});

/** Returns the longest time for which the event loop was blocked since the last call, in milliseconds. */
export async function blockedMs(place: string): Promise<number> {
  const socket = connect(place);
  let text = '';
  socket.on('data', (piece) => {
    text += String(piece);
  });
  await once(socket, 'close');
  return Number(text);
}
