// Program: starts a test host and prints the URL of its database. When its standard input is closed, it stops the host and ends
// or, with the argument `leave`, exits immediately.
import { once } from 'node:events';
import { startTestHost } from '../test-host';

async function main(): Promise<void> {
  const host = await startTestHost();
  process.stdout.write(`${host.database.url}\n`);
  await once(process.stdin.resume(), 'end');
  if (process.argv[2] === 'leave') process.exit(0);
  await host.stop();
}

void main();
