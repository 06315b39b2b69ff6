// The database of a server goes away in every way, under clients that go on asking.
import { setTimeout as pause } from 'node:timers/promises';
import { basicHeader } from '../../../support/test-host';
import { createInstallation, type Server } from '../../installation';
import type { Report, Trial } from '../../trial';
import { ASKED_ROWS, isAllAnswered, send, startClients } from './clients';
import { closeStage, DISTURBANCES, onDatabase, openStage, type Stage, urlThroughProxy } from './disturbances';

const RECOVERY_MS = 30_000;

/** How long until every kind of request is answered again, in milliseconds. */
async function recover(server: Server, authorization: string, report: Report): Promise<number> {
  const started = performance.now();
  while (performance.now() - started < RECOVERY_MS) {
    if (await isAllAnswered(server, authorization)) return performance.now() - started;
    await pause(100);
  }
  if (server.child.exitCode !== null || server.child.signalCode !== null)
    throw new Error(`The server has ended: ${server.text.err}`);
  report.fault('unanswered', 'it did not recover by itself');
  return RECOVERY_MS;
}

/** A server that is told to stop answers what it has begun, and takes nothing more. */
async function stopWhileAsked(
  stage: Stage,
  server: Server,
  authorization: string,
  report: Report,
): Promise<void> {
  await onDatabase(stage, async (client) => {
    await client.query('BEGIN');
    await client.query('LOCK TABLE analytics.page_view');
    const asked = send(server, authorization, ASKED_ROWS);
    await pause(1_000);
    server.child.kill('SIGTERM');
    await pause(1_000);
    const later = await send(server, authorization, { path: '/readyz' }).catch(() => undefined);
    if (later !== undefined) report.fault('wrong', `a server that stops still answered ${later.status}`);
    await client.query('COMMIT');
    const { status } = await asked;
    if (status !== 200) report.fault('unanswered', `what was under way was answered ${status}`);
  });
  await holdEnd(server, report);
}

async function holdEnd(server: Server, report: Report): Promise<void> {
  const code = await Promise.race([server.ended, pause(RECOVERY_MS, 'not', { ref: false })]);
  if (code !== 0) report.fault('unanswered', `a server that was told to stop ended: ${code}`);
}

const SITES = 'sites:\n  - { tracking_id: shop, domain: shop.example, name: Shop, timezone: UTC }\n';

export const outage: Trial = {
  name: 'outage',
  title:
    'While the database is killed, restarted, moved, silent, refusing or full of connections, 8 clients get answers or 503 with Retry-After, and the server recovers without a restart',
  tries: 2 * DISTURBANCES.length + 2,
  async run(dice, report, { tries }) {
    const stage = await openStage();
    // Without the column copy, so that every answer needs the database.
    const installation = await createInstallation({
      DATABASE_URL: urlThroughProxy(stage),
      QAL_COLUMNS: 'off',
      QAL_RESULT_CACHE_MB: '0',
    });
    try {
      const sites = await installation.run(['sites', 'apply', '-'], {}, SITES);
      if (sites.code !== 0) throw new Error(sites.err);
      const server = await installation.serve();
      const authorization = basicHeader({ login: 'admin', secret: server.secret });
      const clients = startClients(server, authorization, report);
      const times: number[] = [];
      const order = Array.from(
        { length: tries - 2 },
        (_, count) => DISTURBANCES[count % DISTURBANCES.length],
      );
      for (const disturb of dice.shuffled(order)) {
        if (disturb === undefined) continue;
        report.tried();
        const about: Report = {
          ...report,
          fault: (kind, what) => report.fault(kind, `${disturb.name}: ${what}`),
        };
        await disturb(stage, dice);
        times.push(await recover(server, authorization, about));
        await pause(500);
      }
      const { answered, refused } = await clients.stop();
      report.note(`${answered} answers, ${refused} of them 503`);
      report.note(`recovered after ${Math.round(Math.max(...times))} ms at most`);
      report.tried();
      await stopWhileAsked(stage, server, authorization, report);
      report.tried();
      const next = await installation.serve();
      stage.proxy.fallSilent();
      next.child.kill('SIGTERM');
      await holdEnd(next, report);
    } finally {
      await installation.remove();
      await closeStage(stage);
    }
  },
};
