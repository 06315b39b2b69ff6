// Many slow clients simultaneously read answers of different widths from a server configured for a 2 GB machine.
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { columnsMemoryMbOf } from '../../../extension/query/columns/columns-of-server';
import type { Dice } from '../../language/interpreter/random/dice';
import { createInstallation, type Installation, type Server } from '../installation';
import { isRaw } from '../is-raw';
import type { Report, Trial } from '../trial';
import { blockedMs, watchLoopAt } from './loop/blocked';
import { probeHealth } from './probe-health';
import { makeUsers } from './trial-users';

const CLIENTS = 64;
/** Several users, because each user has separate slots in the queue. */
const LOGINS = ['ann', 'bob', 'eve', 'dan', 'fay', 'gus', 'ida', 'joe'] as const;
const ROWS = 50_000;
const FORMATS = ['json', 'csv', 'ndjson'] as const;
/** The number of columns in addition to the key. */
const WIDTHS = [1, 20, 60, 180, 250] as const;
/** With more columns, a JSON answer would exceed the maximum size. */
const MAX_JSON_COLUMNS = 20;
const SLOW_SECONDS = 20;
const BYTES_PER_SECOND = 1_000;
/** How long a rejected client keeps retrying. */
const PATIENCE_MS = 60_000;
/** Longer than any of the server's time limits. */
const SILENCE_MS = 180_000;
const MAX_MEMORY_MB = 700;
/** In CPU time. /healthz takes two iterations of the event loop, and should be answered within 200 ms. */
const MAX_BLOCKED_MS = 100;
/** The default on a machine with 2 GB. V8 divides the heap between the generations. */
const HEAP = '--max-heap-size=1120';
const SMALL_MACHINE = { QAL_COLUMNS_MEMORY_MB: String(columnsMemoryMbOf(2_048)) };
const SITES = 'sites:\n  - { tracking_id: shop, domain: shop.example, name: Shop, timezone: UTC }\n';

const views = Array.from(
  { length: ROWS },
  (_, index) =>
    `{"url":"https://shop.example/${index}","access_time":${1_767_225_600 + index * 60},"original_id":"v${index}"}\n`,
).join('');

interface Kind {
  readonly columns: number;
  readonly format: (typeof FORMATS)[number];
}

const KINDS: readonly Kind[] = WIDTHS.flatMap((columns) => FORMATS.map((format) => ({ columns, format })));

const bodyOf = ({ columns }: Kind): string =>
  JSON.stringify({
    tracking_id: 'shop',
    materials: [{ name: 'allpv' }],
    time: { start: '2026-01-01T00:00:00', end: '2027-01-01T00:00:00', tz: 'UTC' },
    make: {
      v: {
        from: ['allpv'],
        keep: ['allpv.pv_id'],
        calc: Object.fromEntries(
          Array.from({ length: columns }, (_, place) => [`m${place}`, 'MAX(allpv.url)']),
        ),
      },
    },
    result: { use: 'v', limit: ROWS },
  });

interface Answer {
  readonly status: number;
  readonly retryAfter: number;
  readonly isComplete: boolean;
  /** The number of line breaks, for CSV and NDJSON. */
  readonly lines: number;
  /** The body, for JSON. */
  readonly text: string;
}

/** Reads BYTES_PER_SECOND during the first seconds, and then the rest at full speed. */
async function read(answer: IncomingMessage, isJson: boolean, slowSeconds: number): Promise<Answer> {
  const pieces: Buffer[] = [];
  let lines = 0;
  const take = (piece: Buffer) => {
    if (isJson) pieces.push(piece);
    for (const byte of piece) if (byte === 0x0a) lines += 1;
  };
  answer.on('error', () => undefined);
  for (let second = 0; second < slowSeconds && !answer.readableEnded; second += 1) {
    const piece: Buffer | null = answer.read(BYTES_PER_SECOND) ?? answer.read();
    if (piece !== null) take(piece);
    await pause(1_000);
  }
  let isComplete = true;
  try {
    for await (const piece of answer) take(piece);
  } catch {
    isComplete = false;
  }
  const { statusCode: status = 0, headers, complete } = answer;
  const text = Buffer.concat(pieces).toString('utf8');
  return {
    status,
    retryAfter: Number(headers['retry-after']),
    isComplete: isComplete && complete,
    lines,
    text,
  };
}

function ask({ url }: Server, key: string, kind: Kind, slowSeconds: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: key, 'Content-Type': 'application/json' };
    const address = `${url}/wp-json/qa-platform/query?format=${kind.format}`;
    const sending = request(
      address,
      { method: 'POST', headers, agent: false, timeout: SILENCE_MS },
      (answer) => {
        const isJson = answer.headers['content-type']?.includes('ndjson') !== true && kind.format !== 'csv';
        read(answer, isJson || answer.statusCode !== 200, slowSeconds).then(resolve, reject);
      },
    );
    sending.on('error', reject);
    sending.on('timeout', () => sending.destroy(new Error(`no data for ${SILENCE_MS / 1000} s`)));
    sending.end(bodyOf(kind));
  });
}

const errorShape = z.object({
  ok: z.literal(false),
  error: z.object({ code: z.string(), message: z.string() }),
});
const tableShape = z.object({ result: z.object({ rows: z.array(z.array(z.unknown())) }) });

type Outcome = 'rows' | 'too large' | 'refused' | 'wrong';

/** `refused` means that the client may retry later. */
function judge(answer: Answer, kind: Kind, report: Report): Outcome {
  const { status, retryAfter, isComplete, lines, text } = answer;
  const wrong = (what: string): Outcome => {
    report.fault('wrong', `${kind.columns} columns of ${kind.format}: ${what}`);
    return 'wrong';
  };
  if (!isComplete) return wrong(`answered ${status} with an incomplete body`);
  if (status === 200) {
    const found =
      kind.format === 'json'
        ? tableShape.parse(JSON.parse(text)).result.rows.length
        : lines - headLines(kind);
    if (found !== ROWS) return wrong(`had ${found} rows`);
    return kind.format === 'json' && kind.columns > MAX_JSON_COLUMNS
      ? wrong('exceeds the maximum size of an answer')
      : 'rows';
  }
  const error = isRaw(text) ? undefined : errorShape.safeParse(JSON.parse(text)).data?.error;
  if (error?.code === 'E_QUERY_TOO_LARGE' && status === 400)
    return kind.format === 'json' && kind.columns > MAX_JSON_COLUMNS ? 'too large' : wrong(error.message);
  if (error !== undefined && (status === 503 || status === 429) && retryAfter >= 1) return 'refused';
  return wrong(`answered ${status}: ${text.slice(0, 300)}`);
}

const headLines = ({ format }: Kind): number => (format === 'csv' ? 1 : 0);

type Tally = Record<Outcome, number>;

/** Retries until the answer is not a refusal, or until PATIENCE_MS have passed. */
async function askPatiently(server: Server, key: string, kind: Kind, tally: Tally, report: Report) {
  const begun = performance.now();
  try {
    for (;;) {
      report.tried();
      const answer = await ask(server, key, kind, SLOW_SECONDS);
      const outcome = judge(answer, kind, report);
      tally[outcome] += 1;
      if (outcome !== 'refused' || performance.now() - begun > PATIENCE_MS) return;
      await pause(1_000 * answer.retryAfter);
    }
  } catch (error) {
    report.fault('unanswered', `${kind.columns} columns of ${kind.format}: ${String(error)}`);
  }
}

/** Without other clients, each query must get its rows, or an error because they are too large. */
async function askAlone(server: Server, key: string, report: Report): Promise<void> {
  for (const kind of KINDS) {
    report.tried();
    const outcome = judge(await ask(server, key, kind, 0), kind, report);
    if (outcome === 'refused')
      report.fault('wrong', `${kind.columns} columns of ${kind.format}: refused although nothing else ran`);
  }
}

/** The peak resident memory of the process. */
const peakMegabytes = ({ child }: Server): number =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024);

async function fill(installation: Installation): Promise<void> {
  const sites = await installation.run(['sites', 'apply', '-'], {}, SITES);
  const imported = await installation.run(['import', 'allpv', '--site', 'shop', '-'], {}, views);
  if (sites.code !== 0 || imported.code !== 0) throw new Error(`${sites.err}${imported.err}`);
}

export const answers: Trial = {
  name: 'answers',
  title: `${CLIENTS} clients each read ${ROWS.toLocaleString('en')} rows of 1 to 250 text columns as JSON, CSV or NDJSON at 1 kB/s, from a server configured for a 2 GB machine: each gets its rows, an error because they are too large, or a time to retry; the server stays under ${MAX_MEMORY_MB} MB and never blocks its event loop for more than ${MAX_BLOCKED_MS} ms of CPU time`,
  tries: CLIENTS,
  async run(_dice: Dice, report) {
    const installation = await createInstallation();
    try {
      await fill(installation);
      const place = join(installation.dataDir, 'loop.sock');
      const server = await installation.serve({ ...SMALL_MACHINE, ...watchLoopAt(place, HEAP) });
      const keys = await makeUsers(installation, LOGINS);
      const keyOf = (client: number) => keys.get(LOGINS[client % LOGINS.length] ?? '') ?? '';
      await blockedMs(place);
      const tally: Tally = { rows: 0, 'too large': 0, refused: 0, wrong: 0 };
      const health = await probeHealth(server.url, async () => {
        await Promise.all(
          Array.from({ length: CLIENTS }, (_, client) => {
            const kind = KINDS[client % KINDS.length];
            return kind && askPatiently(server, keyOf(client), kind, tally, report);
          }),
        );
      });
      const blocked = Math.round(await blockedMs(place));
      report.note(`${tally.rows} answered, ${tally['too large']} too large, ${tally.refused} refused`);
      await askAlone(server, keyOf(0), report);
      const megabytes = peakMegabytes(server);
      if (megabytes > MAX_MEMORY_MB) report.fault('wrong', `the server used up to ${megabytes} MB`);
      if (blocked > MAX_BLOCKED_MS) report.fault('wrong', `the event loop was blocked for ${blocked} ms`);
      if (health.missed > 0)
        report.fault('unanswered', `${health.missed} requests to /healthz were not answered with 200`);
      report.note(`at most ${megabytes} MB; event loop blocked for at most ${blocked} ms of CPU time`);
      report.note(`/healthz p50 ${health.said(0.5)}, p99 ${health.said(0.99)}`);
      server.child.kill('SIGTERM');
      if ((await server.ended) !== 0) report.fault('wrong', 'the server did not exit cleanly');
    } finally {
      await installation.remove();
    }
  },
};
