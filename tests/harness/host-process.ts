// A process of its own for the tests: starts a host, says the address of its database, and ends as it is told.
// `stop`: stops the host and has nothing left to do. `leave`: exits at once. Otherwise it waits for the end.
import { startTestHost } from '../support/test-host';

async function main(): Promise<void> {
  const host = await startTestHost();
  process.stdout.write(`${host.database.url}\n`);
  if (process.argv[2] === 'stop') await host.stop();
  if (process.argv[2] === 'leave') process.exit(0);
}

void main();
