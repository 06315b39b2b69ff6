// Good requests to everything that takes input, changed at random: each is answered as it should be.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { load } from 'js-yaml';
import { z } from 'zod';
import type { Dice } from '../../qal/interpreter/random/dice';
import { logInAs } from '../../support/page-client';
import { basicHeader } from '../../support/test-host';
import { createInstallation, type Installation, type Server } from '../installation';
import { type Fields, mutateBytes, mutateFields, mutateJson, mutateText } from '../mutate';
import type { Report, Trial } from '../trial';
import { isRaw } from '../words';

const AT_ONCE = 8;
const SLOW_MS = 2_000;
const LATE_MS = 30_000;
const TIDY_EVERY = 1_000;
/** Of memory, from the first tenth to the end. */
const GROWTH_MB = 300;
const SITE =
  'sites: [{ tracking_id: shop, domain: shop.example, name: Shop, timezone: Europe/Berlin, default: true }]';

const fields = z.record(z.string(), z.string()).transform((values): Fields => Object.entries(values));
const targetSchema = z.strictObject({
  path: z.string(),
  method: z.enum(['POST', 'PUT']).optional(),
  as: z.enum(['key', 'session']).default('key'),
  query: fields.default([]),
  json: z.json().optional(),
  form: fields.optional(),
  text: z.string().optional(),
});
type Target = z.output<typeof targetSchema>;
const TARGETS = z.array(targetSchema).parse(load(readFileSync(join(__dirname, '../targets.yaml'), 'utf8')));

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Sent in pieces, without its length. */
  readonly inPieces: boolean;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly location: string;
}

const pairs = (fields: Fields): string =>
  fields.map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('=')).join('&');

/** A request with one or two things changed. */
function change(target: Target, dice: Dice, who: Readonly<Record<string, string>>): Sent {
  const { json, form, text, query } = target;
  const isOfBody = json !== undefined || form !== undefined || text !== undefined;
  const changed = (part: 'body' | 'query') =>
    (part === 'body') === (isOfBody && !(query.length > 0 && dice.chance(3)));
  const nonce: Fields = form === undefined || dice.chance(30) ? [] : [['_wpnonce', who['X-WP-Nonce'] ?? '']];
  const bodyText = (): string => {
    if (json !== undefined) return changed('body') ? mutateJson(json, dice) : JSON.stringify(json);
    if (form !== undefined) return pairs([...nonce, ...mutateFields(form, dice)]);
    return changed('body') ? mutateText(text ?? '', dice) : (text ?? '');
  };
  const plain = isOfBody ? Buffer.from(bodyText()) : Buffer.alloc(0);
  const bytes = dice.chance(20) ? mutateBytes(plain, dice) : plain;
  const type =
    json !== undefined
      ? 'application/json'
      : form !== undefined
        ? 'application/x-www-form-urlencoded'
        : 'text/plain';
  const isPacked = text !== undefined && dice.chance(4);
  const bomb = () => gzipSync(Buffer.alloc(20_000_000, dice.pick(['\n', 'x', '[', ' ['])));
  const body = isPacked ? (dice.chance(10) ? bomb() : gzipSync(bytes)) : bytes;
  const asked = changed('query') ? mutateFields(query, dice) : query;
  const path = dice.chance(25)
    ? target.path.replace(/[^/]+$/, encodeURIComponent(mutateText('x', dice).toWellFormed()))
    : target.path;
  return {
    method: target.method ?? (isOfBody ? 'POST' : 'GET'),
    path: `${path.slice(0, 9_000)}${asked.length > 0 ? `?${pairs(asked).slice(0, 6_000)}` : ''}`,
    headers: {
      ...who,
      Accept: dice.chance(10)
        ? dice.pick(['*/*', 'text/csv', 'x', ',;q='])
        : 'application/json, text/event-stream, text/html',
      ...(isOfBody && {
        'Content-Type': dice.chance(25)
          ? dice.pick(['', 'text/html', 'application/json; charset=x', 'multipart/form-data'])
          : type,
      }),
      ...((isPacked || dice.chance(40)) && {
        'Content-Encoding': isPacked ? 'gzip' : dice.pick(['gzip', 'br', 'x']),
      }),
    },
    body,
    inPieces: body.length > 0 && dice.chance(10),
  };
}

async function readAnswer(message: IncomingMessage): Promise<Answer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece);
  const { headers, statusCode: status = 0 } = message;
  return {
    ...{ status, type: headers['content-type'] ?? '', location: headers.location ?? '' },
    text: Buffer.concat(pieces).toString('utf8'),
  };
}

function send(url: string, agent: Agent, sent: Sent): Promise<Answer> {
  const { method, path, headers, body, inPieces } = sent;
  return new Promise((resolve, reject) => {
    const sending = request(url + path, { method, headers, agent, timeout: LATE_MS });
    sending.on('response', (message) => readAnswer(message).then(resolve, reject));
    sending.on('timeout', () => sending.destroy(new Error(`no answer within ${LATE_MS} ms`)));
    sending.on('error', (error: NodeJS.ErrnoException) => {
      // The server closed the connection while this was on its way: clients send it again on another one.
      const isOver = sending.reusedSocket && error.code === 'ECONNRESET';
      if (isOver) send(url, agent, sent).then(resolve, reject);
      else reject(error);
    });
    if (inPieces) sending.write(body.subarray(0, body.length / 2));
    else sending.setHeader('Content-Length', body.length);
    sending.end(inPieces ? body.subarray(body.length / 2) : body);
  });
}

/** What is wrong with an answer; undefined for one as it should be. */
function faultOf({ status, type, text }: Answer): string | undefined {
  if (status >= 500) return `status ${status}: ${text.slice(0, 300)}`;
  if (isRaw(text)) return `raw words: ${text.slice(0, 300)}`;
  if (type.startsWith('text/html')) {
    if (!text.trimEnd().endsWith('</html>')) return 'a page without an end';
    return text.includes('<script>alert') ? 'a page with a script of the caller' : undefined;
  }
  if (!/[/+]json\b/.test(type)) return undefined;
  try {
    if (text !== '') JSON.parse(text);
    return undefined;
  } catch {
    return `no JSON: ${text.slice(0, 300)}`;
  }
}

/** The server's, where the system tells. */
async function memoryMb({ child }: Server): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** What got through would otherwise pile up: each login reads all passwords of its user. */
async function tidy({ sql }: Installation): Promise<void> {
  await sql('DELETE FROM host.application_passwords WHERE user_id <> 1');
  await sql('DELETE FROM host.users WHERE user_id > 2');
}

async function prepare(installation: Installation) {
  const server = await installation.serve({ QAL_PAGES_RATE_PER_MINUTE: '0' });
  const password = 'a long password of the trial';
  for (const [args, input] of [
    [['sites', 'apply', '-'], SITE],
    [['users', 'add', 'page', '--role', 'administrator', '--password-stdin'], `${password}\n`],
  ] as const) {
    const { code, err } = await installation.run(args, {}, input);
    if (code !== 0) throw new Error(err);
  }
  const made = await installation.run([
    'passwords',
    'create',
    'admin',
    '--name',
    'trial',
    '--allow',
    'import',
  ]);
  const key = { Authorization: basicHeader({ login: 'admin', secret: made.out.trim() }) };
  const logIn = async () => {
    const { cookie, nonce } = await logInAs(server, 'page', { password });
    return { Cookie: cookie, 'X-WP-Nonce': nonce };
  };
  return { server, key, logIn };
}

async function trySome(installation: Installation, dice: Dice, report: Report, tries: number): Promise<void> {
  const { server, key, logIn } = await prepare(installation);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  let session = await logIn();
  let begun = 0;
  let slow = 0;
  let early = 0;
  let slowest = { ms: 0, what: '' };
  const statuses = new Map<number, number>();

  async function tryOne(): Promise<void> {
    const target = dice.pick(TARGETS);
    const sent = change(target, dice, target.as === 'key' ? key : session);
    const what = `${sent.method} ${sent.path.slice(0, 200)} ${sent.body.subarray(0, 200).toString('latin1')}`;
    const start = performance.now();
    try {
      const answer = await send(server.url, agent, sent);
      const ms = Math.round(performance.now() - start);
      if (ms > slowest.ms) slowest = { ms, what: target.path };
      if (ms > SLOW_MS) slow += 1;
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const fault = faultOf(answer);
      if (fault !== undefined) report.fault('wrong', `${what}: ${fault}`);
      if (answer.location.startsWith('/wp-login.php?redirect_to')) session = await logIn();
    } catch (error) {
      report.fault('unanswered', `${what}: ${String(error)}`);
    }
  }

  async function work(): Promise<void> {
    while (begun < tries) {
      begun += 1;
      report.tried();
      if (begun % TIDY_EVERY === 0) await tidy(installation);
      if (begun === Math.ceil(tries / 10)) early = await memoryMb(server);
      await tryOne();
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  agent.destroy();
  const late = await memoryMb(server);
  if (late - early > GROWTH_MB) report.fault('wrong', `the memory grew from ${early} to ${late} MB`);
  const counts = [...statuses]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${count} × ${status}`);
  report.note(counts.join(', '));
  report.note(`slowest ${slowest.ms} ms (${slowest.what}), ${slow} above ${SLOW_MS} ms`);
  report.note(`memory ${early} MB after a tenth, ${late} MB at the end`);
}

export const badInput: Trial = {
  name: 'input',
  title: 'Every body, address and form that is changed at random gets a well-formed answer below 500',
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
