// Program: starts a test host and prints the URL of its database. With the argument `stop`, it stops the host and ends. With
// `leave`, it exits immediately. Otherwise, it runs until it is killed.
import { startTestHost } from '../test-host';

async function main(): Promise<void> {
  const host = await startTestHost();
  process.stdout.write(`${host.database.url}\n`);
  if (process.argv[2] === 'stop') await host.stop();
  if (process.argv[2] === 'leave') process.exit(0);
}

void main();
