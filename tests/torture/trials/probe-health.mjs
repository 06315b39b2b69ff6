// Requests /healthz ten times a second until its standard input ends, in a separate process, so that nothing else delays it.
// Argument: the URL of the server. Prints how many milliseconds each response took, or null for a status other than 200.
import { request } from 'node:http';

const times = [];
const ask = () =>
  new Promise((resolve) => {
    const started = performance.now();
    const fail = () => resolve(Number.NaN);
    const asked = request(`${process.argv[2]}/healthz`, { agent: false, timeout: 30_000 }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode === 200 ? performance.now() - started : Number.NaN));
    });
    asked.on('error', fail);
    asked.on('timeout', () => asked.destroy());
    asked.end();
  });
const timer = setInterval(() => ask().then((time) => times.push(time)), 100);
process.stdin.resume();
process.stdin.on('end', () => {
  clearInterval(timer);
  process.stdout.write(JSON.stringify(times));
  process.exit(0);
});
