// Clients that keep sending requests of all kinds while the database fails.
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { sendRequest } from '../../../support/send-request';
import type { TestAnswer } from '../../../support/supertest-api';
import type { Server } from '../../installation';
import { isRaw } from '../../is-raw';
import type { Report } from '../../trial';

const CLIENTS = 8;
/** The server waits up to 45 s for an unresponsive database: first for a connection, and then for a statement. */
const ANSWER_MS = 60_000;

const QUERY = JSON.stringify({
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-01-01T00:00:00', end: '2027-01-01T00:00:00', tz: 'UTC' },
  make: { v: { from: ['allpv'], keep: ['allpv.url'] } },
  result: { use: 'v' },
});

const CODE = z.literal('E_UNAVAILABLE');
const SECONDS = z.number().min(1);
const headRefusal = z.strictObject({
  ok: z.literal(false),
  error: z.strictObject({
    code: CODE,
    message: z.string(),
    hint: z.string(),
    details: z.strictObject({ retry_after_seconds: SECONDS }),
  }),
});
const firstRefusal = z.strictObject({
  code: CODE,
  message: z.string(),
  data: z.strictObject({ status: z.literal(503), hint: z.string(), retry_after_seconds: SECONDS }),
});
const hostRefusal = z.strictObject({
  code: z.literal('rest_unavailable'),
  message: z.string(),
  data: z.strictObject({ status: z.literal(503) }),
});

export interface Question {
  readonly path: string;
  readonly body?: string;
  /** The body of a 503 from this endpoint. Undefined for plain text without Retry-After. */
  readonly refusal?: z.ZodType;
}

export const ASKED_ROWS: Question = {
  path: '/wp-json/qa-platform/query?version=2026-05-11',
  body: QUERY,
  refusal: headRefusal,
};

const QUESTIONS: readonly Question[] = [
  ASKED_ROWS,
  { path: '/wp-json/qa-platform/query?version=2025-10-20', body: QUERY, refusal: firstRefusal },
  { path: '/wp-json/qa-platform/guide?version=2026-05-11', refusal: headRefusal },
  { path: '/wp-json/qa-platform/guide?version=2025-10-20', refusal: firstRefusal },
  { path: '/wp-json/wp/v2/users/me', refusal: hostRefusal },
  { path: '/readyz' },
];

export const send = (server: Server, authorization: string, { path, body }: Question) =>
  sendRequest({
    method: body === undefined ? 'GET' : 'POST',
    url: `${server.url}${path}`,
    headers: [['Authorization', authorization], ...(body === undefined ? [] : [JSON_BODY])],
    body,
  });
const JSON_BODY = ['Content-Type', 'application/json'] as const;

/** Expects 200, or a 503 with Retry-After and the body of its endpoint. */
function judge(
  { status, headers, body, text }: TestAnswer,
  { path, refusal }: Question,
  report: Report,
): void {
  const isRefusal =
    status === 503 &&
    (refusal === undefined || (Number(headers['retry-after']) > 0 && refusal.safeParse(body).success));
  if ((status !== 200 && !isRefusal) || isRaw(text))
    report.fault('wrong', `${path} was answered with ${status}: ${text}`);
}

export interface Asking {
  readonly stop: () => Promise<{ readonly answered: number; readonly refused: number }>;
}

export function startClients(server: Server, authorization: string, report: Report): Asking {
  let isOver = false;
  let answered = 0;
  let refused = 0;
  const ask = async (client: number) => {
    for (let count = client; !isOver; count += CLIENTS) {
      const question = QUESTIONS[count % QUESTIONS.length];
      if (question === undefined) return;
      const answer = await Promise.race([
        send(server, authorization, question).catch((error: unknown) => String(error)),
        pause(ANSWER_MS, `no response within ${ANSWER_MS / 1000} s`, { ref: false }),
      ]);
      answered += 1;
      if (typeof answer === 'string') report.fault('unanswered', `${question.path}: ${answer}`);
      else judge(answer, question, report);
      if (typeof answer !== 'string' && answer.status === 503) refused += 1;
      await pause(20);
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, client) => ask(client));
  return {
    async stop() {
      isOver = true;
      await Promise.all(clients);
      return { answered, refused };
    },
  };
}

/** Whether requests of every kind are answered with 200. */
export async function isAllAnswered(server: Server, authorization: string): Promise<boolean> {
  const answers = await Promise.all(
    QUESTIONS.map((one) => send(server, authorization, one).catch(() => undefined)),
  );
  return answers.every((answer) => answer?.status === 200);
}
