#!/usr/bin/env node
// Starts a package file with npx as on a new machine, with an empty home directory and an empty npm cache, and sends a query
// about the demo site, which has all its views or VIEWS. Usage: .ci/try-package.mjs FILE [MAX_SECONDS [VIEWS]]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [file, maxSeconds = '600', views] = process.argv.slice(2);
const home = await mkdtemp(join(tmpdir(), 'qal-package-'));
const { PATH, HTTPS_PROXY, https_proxy, npm_config_registry, NODE_EXTRA_CA_CERTS } = process.env;
const started = performance.now();
const serve = 'qal serve --port 0';
// The server loads all views of the demo unless some exist.
const commands = views === undefined ? serve : `qal demo --views ${Number(views)} && ${serve}`;
const server = spawn('npx', ['--yes', `--package=${resolve(file)}`, '--call', commands], {
  stdio: 'pipe',
  cwd: home,
  // A separate process group, so that npm and the program can be stopped together.
  detached: true,
  env: {
    PATH,
    HTTPS_PROXY,
    https_proxy,
    npm_config_registry,
    NODE_EXTRA_CA_CERTS,
    HOME: home,
    QAL_DEMO: 'on',
    QAL_ENV_FILE: 'off',
  },
});
process.on('exit', () => rmSync(home, { recursive: true }));
const ended = once(server, 'close');
let output = '';
const ready = new Promise((fulfill, reject) => {
  const read = (chunk) => {
    output += chunk;
    if (output.includes('Press Ctrl-C to stop.')) fulfill();
  };
  server.stdout.on('data', read);
  server.stderr.on('data', read);
  ended.then(() => reject(new Error('it exited before it was ready')), reject);
  setTimeout(reject, maxSeconds * 1000, new Error(`it was not ready within ${maxSeconds} s`)).unref();
});

async function ask() {
  await ready;
  const [, url] = /Ready at (\S+),/.exec(output);
  const [, secret] = /Application password +(.+)/.exec(output);
  const now = Date.now();
  const time = (days) => new Date(now - days * 86_400_000).toISOString().slice(0, 19);
  const response = await fetch(`${url}/wp-json/qa-platform/query`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Basic ${btoa(`admin:${secret}`)}` },
    body: JSON.stringify({
      tracking_id: 'demo',
      materials: [{ name: 'allpv' }],
      time: { start: time(30), end: time(0), tz: 'UTC' },
      make: { total: { from: ['allpv'], keep: [], calc: { views: 'COUNT(allpv.pv_id)' } } },
      result: { use: 'total' },
    }),
  });
  const { result } = await response.json();
  const views = result?.rows[0][0];
  if (!(views > 0)) throw new Error(`the query returned status ${response.status} and ${views} views`);
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(`${views} views counted ${seconds.toFixed(1)} s after npx was started\n`);
  if (seconds > maxSeconds) throw new Error(`it took more than ${maxSeconds} s`);
}

try {
  await ask();
} catch (error) {
  process.stderr.write(`${output}\n${file}: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  if (server.exitCode === null) process.kill(-server.pid, 'SIGTERM');
  await ended;
}
