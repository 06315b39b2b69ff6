// Loaded into a server (node --import): measures how long its event loop is held. A timer that is due every few milliseconds
// reads how much of a processor the main thread has used since it last ran, so that other programs on the machine do not
// count. Whoever connects to the socket gets the most milliseconds since the last who did.
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';

const EVERY_MS = 5;
const place = process.env.WATCH_LOOP;
if (place !== undefined) {
  // Inherited by programs that this one starts, which must not take its place.
  delete process.env.WATCH_LOOP;
  const usedMs = () => Number(readFileSync(`/proc/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  let last = usedMs();
  let most = 0;
  const look = () => {
    const now = usedMs();
    most = Math.max(most, now - last);
    last = now;
  };
  setInterval(look, EVERY_MS).unref();
  rmSync(place, { force: true });
  createServer((socket) => {
    look();
    socket.on('error', () => undefined);
    socket.end(String(most));
    most = 0;
  })
    .listen(place)
    .unref();
}
