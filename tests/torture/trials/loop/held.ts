// How long the event loop of a server was held, as watch-loop.mjs measures it: in processor time, so that other programs do not count.
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Environment } from '../../../support/program-process';

/** What a server is started with whose loop is watched at this place, a socket; `nodeOptions` are its other ones. */
export const watched = (place: string, nodeOptions = ''): Environment => ({
  NODE_OPTIONS: `${nodeOptions} --import ${pathToFileURL(join(__dirname, 'watch-loop.mjs')).href}`.trim(),
  WATCH_LOOP: place,
});

/** The most milliseconds that the event loop was held since this was last asked. */
export async function heldMs(place: string): Promise<number> {
  const socket = connect(place);
  let text = '';
  socket.on('data', (piece) => {
    text += String(piece);
  });
  await once(socket, 'close');
  return Number(text);
}
