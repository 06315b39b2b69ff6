// Must be the first import, so that older versions of Node exit with this message.
const MIN_NODE = 22;

if (Number.parseInt(process.versions.node, 10) < MIN_NODE) {
  process.stderr.write(
    `qal needs Node.js ${MIN_NODE} or newer, but this is ${process.versions.node}. Install Node.js 24 (https://nodejs.org), or start it with: make run\n`,
  );
  process.exit(1);
}
