// Receives the alarms of an installation as a webhook.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { Environment } from '../support/program-process';

const alarmShape = z.object({
  problems: z.array(z.object({ check: z.string(), brief: z.string() })),
  fineAgain: z.array(z.object({ check: z.string() })),
});

export interface AlarmReceiver {
  /** Environment variables for the server that sends it alarms. */
  readonly environment: Environment;
  /** What was received, in order, such as `Backup: the last is 1 day old` and `Backup is fine again`. */
  readonly received: readonly string[];
  stop(): Promise<void>;
}

export async function startAlarmReceiver(): Promise<AlarmReceiver> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { problems, fineAgain } = alarmShape.parse(JSON.parse(body));
      received.push(...problems.map(({ check, brief }) => `${check}: ${brief}`));
      received.push(...fineAgain.map(({ check }) => `${check} is fine again`));
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    environment: {
      QAL_ALARM_WEBHOOK: `http://127.0.0.1:${port}/`,
      QAL_WEBHOOK_SECRET: 'secret-for-the-torture-test',
      QAL_WEBHOOK_PRIVATE: 'on',
    },
    received,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
