// Sends randomly modified requests to every endpoint that accepts input.
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Dice } from '../../../language/interpreter/random/dice';
import { logInAs } from '../../../support/page-client';
import { basicHeader } from '../../../support/test-host';
import { createInstallation, type Installation } from '../../installation';
import { isRaw } from '../../is-raw';
import type { Report, Trial } from '../../trial';
import { anyFraming, sendFramed } from './framing';
import { change, type Sent, TARGETS } from './request';
import { type Memory, memoryOf, processorMs, REPORT_HEAP } from './server-usage';

const AT_ONCE = 8;
const SLOW_MS = 2_000;
const LATE_MS = 30_000;
const TIDY_EVERY = 1_000;
/** One in this many requests is sent with incorrect framing. */
const MISFRAMED_ONE_IN = 25;
/** How many of the slowest requests are sent again, one at a time. */
const RETRIED_SLOW = 50;
/**
 * The maximum growth of resident memory, and of the heap after a garbage collection, from the end of the first tenth of the run
 * to its end.
 */
const GROWTH_MB = 300;
const HEAP_GROWTH_MB = 50;
const SITE =
  'sites: [{ tracking_id: shop, domain: shop.example, name: Shop, timezone: Europe/Berlin, default: true }]';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly location: string;
}

async function readAnswer(message: IncomingMessage): Promise<Answer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece);
  const { headers, statusCode: status = 0 } = message;
  return {
    status,
    type: headers['content-type'] ?? '',
    location: headers.location ?? '',
    text: Buffer.concat(pieces).toString('utf8'),
  };
}

function send(url: string, agent: Agent, sent: Sent): Promise<Answer> {
  const { method, path, headers, body, inPieces } = sent;
  return new Promise((resolve, reject) => {
    const sending = request(url + path, { method, headers, agent, timeout: LATE_MS });
    sending.on('response', (message) => readAnswer(message).then(resolve, reject));
    sending.on('timeout', () => sending.destroy(new Error(`no response within ${LATE_MS} ms`)));
    sending.on('error', (error: NodeJS.ErrnoException) => {
      // The server closed the idle connection in the meantime. Clients retry on a new one.
      const isOver = sending.reusedSocket && error.code === 'ECONNRESET';
      if (isOver) send(url, agent, sent).then(resolve, reject);
      else reject(error);
    });
    if (inPieces) sending.write(body.subarray(0, body.length / 2));
    else sending.setHeader('Content-Length', body.length);
    sending.end(inPieces ? body.subarray(body.length / 2) : body);
  });
}

/** Returns a description of what is wrong with a response, if anything. */
function faultOf({ status, type, text }: Answer): string | undefined {
  if (status >= 500) return `status ${status}: ${text.slice(0, 300)}`;
  if (isRaw(text)) return `internals in a message: ${text.slice(0, 300)}`;
  if (type.startsWith('text/html')) {
    if (!text.trimEnd().endsWith('</html>')) return 'an incomplete page';
    return text.includes('<script>alert') ? 'a page that contains a script from the request' : undefined;
  }
  if (!/[/+]json\b/.test(type)) return undefined;
  try {
    if (text !== '') JSON.parse(text);
    return undefined;
  } catch {
    return `invalid JSON: ${text.slice(0, 300)}`;
  }
}

/**
 * Returns a description of what is wrong with the responses to a request with incorrect framing, if anything. The server may read
 * it as several requests.
 */
function faultOfMisframed(text: string): string | undefined {
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
  if (statuses.length === 0) return 'closed without a response';
  if (statuses.some((status) => status >= 500)) return `status ${statuses.join()}: ${text.slice(0, 300)}`;
  return isRaw(text) ? `internals in a message: ${text.slice(0, 300)}` : undefined;
}

/** Deletes the users and passwords that requests have created, because authentication reads all of a user's passwords. */
async function tidy({ sql }: Installation): Promise<void> {
  await sql('DELETE FROM host.application_passwords WHERE user_id <> 1');
  await sql('DELETE FROM host.users WHERE user_id > 2');
}

async function prepare(installation: Installation) {
  const server = await installation.serve({
    QAL_PAGES_RATE_PER_HOUR: '0',
    QAL_PAGES_RATE_PER_MINUTE: '0',
    QAL_RESULT_CACHE_MB: '8',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(REPORT_HEAP)}`,
  });
  const password = 'a long password for the trial';
  for (const [args, input] of [
    [['sites', 'apply', '-'], SITE],
    [['users', 'add', 'page', '--role', 'administrator', '--password-stdin'], `${password}\n`],
  ] as const) {
    const { code, err } = await installation.run(args, {}, input);
    if (code !== 0) throw new Error(err);
  }
  const created = await installation.run([
    'passwords',
    'create',
    'admin',
    '--name',
    'trial',
    '--level',
    'import',
  ]);
  const key = { Authorization: basicHeader({ login: 'admin', secret: created.out.trim() }) };
  const logIn = async () => {
    const { cookie, nonce } = await logInAs(server, 'page', { password });
    return { Cookie: cookie, 'X-WP-Nonce': nonce };
  };
  return { server, key, logIn };
}

interface Slow {
  readonly sent: Sent;
  readonly ms: number;
  readonly what: string;
}

async function trySome(installation: Installation, dice: Dice, report: Report, tries: number): Promise<void> {
  const { server, key, logIn } = await prepare(installation);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  let session = await logIn();
  let begun = 0;
  let misframed = 0;
  let slowest: Slow | undefined;
  const slow: Slow[] = [];
  let early: Memory | undefined;
  const statuses = new Map<number, number>();

  async function tryMisframed(sent: Sent): Promise<number | undefined> {
    misframed += 1;
    const framing = anyFraming(dice);
    const { text, ms } = await sendFramed(server.url, sent, framing, LATE_MS);
    const fault = faultOfMisframed(text);
    if (fault !== undefined) report.fault('wrong', `${framing}: ${fault}`);
    return ms;
  }

  async function tryWhole(sent: Sent, what: string): Promise<void> {
    const answer = await send(server.url, agent, sent);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const fault = faultOf(answer);
    if (fault !== undefined) report.fault('wrong', `${what}: ${fault}`);
    if (answer.location.startsWith('/wp-login.php?redirect_to')) session = await logIn();
  }

  async function tryOne(): Promise<void> {
    const target = dice.pick(TARGETS);
    const sent = change(target, dice, target.as === 'key' ? key : session);
    const what = `${sent.method} ${sent.path.slice(0, 200)} ${sent.body.subarray(0, 200).toString('latin1')}`;
    const start = performance.now();
    try {
      const isMisframed = sent.body.length > 0 && dice.chance(MISFRAMED_ONE_IN);
      const misframedMs = isMisframed ? await tryMisframed(sent) : undefined;
      if (!isMisframed) await tryWhole(sent, what);
      const ms = isMisframed ? (misframedMs ?? 0) : performance.now() - start;
      if (slowest === undefined || ms > slowest.ms) slowest = { sent, ms, what: target.path };
      if (ms > SLOW_MS) slow.push({ sent, ms, what });
    } catch (error) {
      report.fault('unanswered', `${what}: ${String(error)}`);
    }
  }

  async function work(): Promise<void> {
    while (begun < tries) {
      begun += 1;
      report.tried();
      if (begun % TIDY_EVERY === 0) await tidy(installation);
      if (begun === Math.ceil(tries / 10)) early = await memoryOf(server);
      await tryOne();
    }
  }

  /** Sends slow requests again, one at a time, so that the load of other programs on the machine has no effect. */
  async function sendAgain(): Promise<void> {
    let maxMs = 0;
    for (const { sent, what } of slow.sort((one, other) => other.ms - one.ms).slice(0, RETRIED_SLOW)) {
      const before = await processorMs(server);
      await send(server.url, agent, sent);
      const used = (await processorMs(server)) - before;
      maxMs = Math.max(maxMs, used);
      if (used > SLOW_MS) report.fault('wrong', `${what} used ${used} ms of CPU time`);
    }
    if (slow.length > 0)
      report.note(`sent again one at a time, none of these used more than ${maxMs} ms of CPU time`);
  }

  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const counts = [...statuses]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${count} × ${status}`);
  report.note(`${counts.join(', ')}, ${misframed} misframed`);
  const { ms = 0, what = '' } = slowest ?? {};
  report.note(`slowest ${Math.round(ms)} ms (${what}), ${slow.length} over ${SLOW_MS} ms`);
  await sendAgain();
  agent.destroy();
  const late = await memoryOf(server);
  const { all, inUse } = early ?? late;
  if (late.all - all > GROWTH_MB || late.inUse - inUse > HEAP_GROWTH_MB)
    report.fault(
      'wrong',
      `memory grew from ${all} to ${late.all} MB, the heap from ${inUse} to ${late.inUse} MB`,
    );
  report.note(
    `memory ${all} MB after a tenth of the tries and ${late.all} MB at the end; heap after garbage collection ${inUse} and ${late.inUse} MB`,
  );
}

export const badInput: Trial = {
  name: 'input',
  title: 'Every randomly modified body, URL and form gets a well-formed response with a status below 500',
  tries: 50_000,
  async run(dice, report, { tries }) {
    const installation = await createInstallation();
    try {
      await trySome(installation, dice, report, tries);
    } finally {
      await installation.remove();
    }
  },
};
