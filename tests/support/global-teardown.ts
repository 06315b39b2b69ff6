// Runs once after all tests: stops the server and removes its directory.

// biome-ignore lint/style/noDefaultExport: jest looks for it.
export default async function globalTeardown(): Promise<void> {
  await globalThis.qalTestServer?.stop();
}
