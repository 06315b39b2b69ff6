// The database of a server fails in every possible way while clients keep sending requests.
import { setTimeout as pause } from 'node:timers/promises';
import { basicHeader } from '../../../support/test-host';
import { createInstallation, type Server } from '../../installation';
import type { Report, Trial } from '../../trial';
import { ASKED_ROWS, isAllAnswered, send, startClients } from './clients';
import { closeStage, DISTURBANCES, onDatabase, openStage, type Stage, urlThroughProxy } from './disturbances';

const RECOVERY_MS = 30_000;

/** Returns how many milliseconds it takes until requests of every kind are answered again. */
async function recover(server: Server, authorization: string, report: Report): Promise<number> {
  const started = performance.now();
  while (performance.now() - started < RECOVERY_MS) {
    if (await isAllAnswered(server, authorization)) return performance.now() - started;
    await pause(100);
  }
  if (server.child.exitCode !== null || server.child.signalCode !== null)
    throw new Error(`The server exited: ${server.text.err}`);
  report.fault('unanswered', 'the server did not recover by itself');
  return RECOVERY_MS;
}

/** Expects a server that is being stopped to finish the requests in progress and to accept no new ones. */
async function stopDuringRequest(
  stage: Stage,
  server: Server,
  authorization: string,
  report: Report,
): Promise<void> {
  await onDatabase(stage, async (client) => {
    await client.query('BEGIN');
    await client.query('LOCK TABLE analytics.page_view');
    const running = send(server, authorization, ASKED_ROWS);
    await pause(1_000);
    server.child.kill('SIGTERM');
    await pause(1_000);
    const later = await send(server, authorization, { path: '/readyz' }).catch(() => undefined);
    if (later !== undefined)
      report.fault('wrong', `a stopping server answered a new request with ${later.status}`);
    await client.query('COMMIT');
    const { status } = await running;
    if (status !== 200) report.fault('unanswered', `a request in progress was answered with ${status}`);
  });
  await expectEnd(server, report);
}

async function expectEnd(server: Server, report: Report): Promise<void> {
  const code = await Promise.race([
    server.ended,
    pause(RECOVERY_MS, 'none, it is still running', { ref: false }),
  ]);
  if (code !== 0) report.fault('unanswered', `exit code of a stopped server: ${code}`);
}

const SITES = 'sites:\n  - { tracking_id: shop, domain: shop.example, name: Shop, timezone: UTC }\n';

export const outage: Trial = {
  name: 'outage',
  title:
    'While the database is killed, restarted or moved, is unresponsive, or refuses or runs out of connections, 8 clients get results or a 503 with Retry-After, and the server recovers without a restart',
  tries: 2 * DISTURBANCES.length + 2,
  async run(dice, report, { tries }) {
    const stage = await openStage();
    // Without the columnar copy, every answer requires the database.
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
      report.note(`recovered within ${Math.round(Math.max(...times))} ms`);
      report.tried();
      await stopDuringRequest(stage, server, authorization, report);
      report.tried();
      const next = await installation.serve();
      stage.proxy.fallSilent();
      next.child.kill('SIGTERM');
      await expectEnd(next, report);
    } finally {
      await installation.remove();
      await closeStage(stage);
    }
  },
};
