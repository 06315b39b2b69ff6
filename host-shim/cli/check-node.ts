// Must be the first import, so that an older version of Node exits with this message.
const OLDEST_NODE = 22;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `qal needs Node.js ${OLDEST_NODE} or newer, and this is ${process.versions.node}. Install Node.js 24 (https://nodejs.org), or start it with: make run\n`,
  );
  process.exit(1);
}
