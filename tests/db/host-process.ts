// A separate process for tests: starts the server for a given directory, prints its pid, and never stops it.
import { startEmbeddedServer } from '../../db/embedded/server';

async function main(): Promise<void> {
  const server = await startEmbeddedServer({
    dataDir: process.argv[2] ?? '',
    isHttpServer: true,
    onError(error) {
      throw error;
    },
  });
  process.stdout.write(`${server.postmasterPid}\n`);
}

void main();
