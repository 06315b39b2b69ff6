// Program: starts a test host, prints the URL of its database, and ends as its argument says: `stop` stops the host first,
// `leave` exits immediately, and anything else waits to be killed.
import { startTestHost } from '../test-host';

async function main(): Promise<void> {
  const host = await startTestHost();
  process.stdout.write(`${host.database.url}\n`);
  if (process.argv[2] === 'stop') await host.stop();
  if (process.argv[2] === 'leave') process.exit(0);
}

void main();
