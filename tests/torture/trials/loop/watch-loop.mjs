// Loaded into a server (node --import): measures how long its event loop is blocked, in CPU time of the main thread, which does not
// include other programs or threads. A timer that fires at most once a millisecond reads this time, which Linux counts in ticks,
// usually of 4 ms. Each connection to the socket gets the maximum since the previous one, in milliseconds.
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';

const EVERY_MS = 1;
const place = process.env.WATCH_LOOP;
if (place !== undefined) {
  // Child processes would inherit it and take over the socket.
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
