// Sends the slowest requests of every kind, one at a time, and measures how long each blocks the event loop.
import { join } from 'node:path';
import type { Dice } from '../../../language/interpreter/random/dice';
import { logInAs, type PageClient } from '../../../support/page-client';
import { basicHeader } from '../../../support/test-host';
import { createInstallation, type Installation, type Server } from '../../installation';
import type { Report, Trial } from '../../trial';
import { blockedMs, watchLoopAt } from './blocked';
import { ATTEMPTS, type Attempt } from './bodies';

const MAX_MS = 50;
/** How many times each request is sent. The slowest one is reported. */
const TIMES = 3;
/** Statuses of requests that were rejected before they reached the code under test. */
const UNREACHED = new Set([401, 403, 404, 405, 429]);
const SITES = 1_000;
const NAMES = 1_000;
const PASSWORD = 'a long password for the trial';

const siteName = (number: number) => `site${String(number).padStart(4, '0')}`;

/** Creates 1,000 sites. The second one has 1,000 event names. */
async function fill(installation: Installation): Promise<void> {
  const sites = Array.from({ length: SITES }, (_, number) => {
    const id = siteName(number);
    return `{ tracking_id: ${id}, domain: ${id}.example, name: A site with the number ${number}, timezone: UTC${number === 0 ? ', default: true' : ''} }`;
  });
  const applied = await installation.run(['sites', 'apply', '-'], {}, `sites: [${sites.join(', ')}]`);
  const rows = Array.from({ length: NAMES }, (_, place) => place);
  const json = (row: (place: number) => object) => rows.map((place) => JSON.stringify(row(place))).join('\n');
  const time = '2026-05-01T10:00:00Z';
  const views = json((place) => ({
    pv_id: place + 1,
    session_id: place + 1,
    reader_id: place + 1,
    access_time: time,
    url: `https://site0001.example/${place}`,
  }));
  const events = json((place) => ({
    pv_id: place + 1,
    access_time: time,
    event_name: `event_${place}`,
    params: { a: place },
  }));
  const load = (material: string, text: string) =>
    installation.run(['import', material, '--site', siteName(1), '-'], {}, text);
  const imported = [await load('allpv', views), await load('datalayer_event', events)];
  const wrong = [applied, ...imported].find(({ code }) => code !== 0);
  if (wrong !== undefined) throw new Error(wrong.err);
}

interface Client {
  readonly server: Server;
  readonly key: string;
  readonly page: PageClient;
}

async function send({ server, key, page }: Client, { path, as, body, type }: Attempt): Promise<number> {
  const headers = {
    'Content-Type': type ?? 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(as === 'key' ? { Authorization: key } : { Cookie: page.cookie, 'X-WP-Nonce': page.nonce }),
  };
  const isForm = type?.includes('urlencoded') === true;
  const response = await fetch(server.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    redirect: 'manual',
    ...(body !== undefined && { body: isForm ? `${body}&_wpnonce=${page.nonce}` : body }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function clientOf(installation: Installation, server: Server): Promise<Client> {
  const login = 'page';
  const added = await installation.run(
    ['users', 'add', login, '--role', 'administrator', '--password-stdin'],
    {},
    `${PASSWORD}\n`,
  );
  const key = ['passwords', 'create', login, '--name', 'trial', '--level', 'import'];
  const created = await installation.run(key);
  if (added.code !== 0 || created.code !== 0) throw new Error(`${added.err}${created.err}`);
  const page = await logInAs(server, login, { password: PASSWORD });
  return { server, key: basicHeader({ login, secret: created.out.trim() }), page };
}

async function measure(client: Client, place: string, attempt: Attempt, report: Report): Promise<number> {
  let maxMs = 0;
  for (let time = 0; time < TIMES; time += 1) {
    await blockedMs(place);
    const status = await send(client, attempt);
    if (status >= 500 || (UNREACHED.has(status) && attempt.path !== '/wp-login.php'))
      report.fault('wrong', `${attempt.kind}, ${attempt.name}: answered ${status}`);
    maxMs = Math.max(maxMs, await blockedMs(place));
  }
  report.tried();
  return maxMs;
}

export const loop: Trial = {
  name: 'loop',
  title: `No query, check, upload, MCP call, saved query, form, guide to ${SITES} sites or list of ${NAMES} names blocks the event loop for more than ${MAX_MS} ms of CPU time`,
  tries: ATTEMPTS.length,
  async run(_dice: Dice, report) {
    const installation = await createInstallation();
    try {
      await fill(installation);
      const place = join(installation.dataDir, 'loop.sock');
      const server = await installation.serve({
        ...watchLoopAt(place),
        QAL_PAGES_RATE_PER_HOUR: '0',
        QAL_PAGES_RATE_PER_MINUTE: '0',
      });
      const client = await clientOf(installation, server);
      const worst = new Map<string, { name: string; ms: number }>();
      for (const attempt of ATTEMPTS) {
        const ms = await measure(client, place, attempt, report);
        if (ms > MAX_MS) report.fault('wrong', `${attempt.kind}, ${attempt.name}: ${Math.round(ms)} ms`);
        const { kind, name } = attempt;
        if (ms > (worst.get(kind)?.ms ?? -1)) worst.set(kind, { name, ms });
      }
      report.note(
        [...worst].map(([kind, { name, ms }]) => `${kind} ${Math.round(ms)} ms (${name})`).join(', '),
      );
    } finally {
      await installation.remove();
    }
  },
};
