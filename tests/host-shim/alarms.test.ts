// When and how alarms are sent. The tests set the clock and never wait.
import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import type { Knex } from 'knex';
import { type AlarmMessage, createAlarms } from '../../host-shim/alarms/alarms';
import { sendMail } from '../../host-shim/alarms/mail';
import { sendAlarm } from '../../host-shim/alarms/send-alarm';
import { postWebhook, signatureOf } from '../../host-shim/alarms/webhook';
import type { HealthLine } from '../../host-shim/health/check-health';
import { ConfigError, configure } from '../../host-shim/server/config';
import { createMemoryLog } from '../support/memory-log';
import { receiveMail, receiveWebhooks } from '../support/receivers';
import { runCommand } from '../support/run-command';
import { until } from '../support/until';
import { useTestDatabase } from '../support/use-database';

const database = useTestDatabase();
beforeEach(() => database.write('host.alarm').delete());

const START = Date.parse('2026-11-28T12:00:00Z');
const remedy = { text: 'Free up space.', command: 'qal backup' };
const bad = (state: 'warning' | 'failing' = 'warning', title = 'Backup'): HealthLine => ({
  title,
  state,
  brief: '3% free',
  about: 'The disk is full.',
  remedy,
});
const fine = (title = 'Backup'): HealthLine => ({ title, state: 'fine', brief: 'all is well' });

interface ServerOptions {
  readonly server?: string;
  readonly write?: Pick<Knex, 'transaction'>;
  readonly refuse?: () => boolean;
}

/** A server for which time passes only when the test advances the clock. */
function startServer({ server = 'one', write = database.write, refuse = () => false }: ServerOptions = {}) {
  const sent: string[] = [];
  let lines: readonly HealthLine[] = [];
  let minute = 0;
  const { log, logged } = createMemoryLog();
  const tick = createAlarms({
    server,
    write,
    log,
    clock: () => new Date(START + minute * 60_000),
    look: async () => lines,
    async send({ problems, fineAgain }: AlarmMessage) {
      if (refuse()) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      const words = [...problems, ...fineAgain].map(({ title, state }) => `${title} ${state}`);
      sent.push(`${minute}: ${words.join(', ')}`);
    },
  });
  return {
    sent,
    logged,
    async at(next: number, ...seen: readonly HealthLine[]) {
      minute = next;
      lines = seen;
      await tick();
    },
  };
}

// conformance: beyond.alarms
test('a problem that lasts five minutes is reported once, and so is its end', async () => {
  const { at, sent } = startServer();
  for (const minute of [0, 1, 4]) await at(minute, bad());
  expect(sent).toEqual([]);
  for (const minute of [5, 6, 70, 500]) await at(minute, bad());
  for (const minute of [501, 502]) await at(minute, fine());
  expect(sent).toEqual(['5: Backup warning', '501: Backup fine']);
});

// conformance: beyond.alarms
test('a problem that lasts less than five minutes is not reported, and neither is its end', async () => {
  const { at, sent } = startServer();
  for (const [minute, line] of [
    [0, bad()],
    [4, bad()],
    [5, fine()],
    [6, bad()],
    [10, bad()],
    [11, fine()],
  ] as const)
    await at(minute, line);
  expect(sent).toEqual([]);
});

// conformance: beyond.alarms
test('each check leads to at most one alarm per hour, no matter how often its state changes', async () => {
  const { at, sent } = startServer();
  for (let minute = 0; minute <= 120; minute += 1) await at(minute, minute % 10 < 7 ? bad() : fine());
  expect(sent).toEqual(['5: Backup warning', '7: Backup fine', '65: Backup warning', '67: Backup fine']);
});

// conformance: beyond.alarms
test('a problem that gets worse is reported after an hour; an unknown state has no effect', async () => {
  const { at, sent } = startServer();
  for (const minute of [0, 5]) await at(minute, bad());
  const unknown: HealthLine = { title: 'Backup', state: 'unknown', brief: 'late', about: 'late', remedy };
  await at(6, unknown);
  for (const minute of [7, 64, 65, 66]) await at(minute, bad('failing'));
  expect(sent).toEqual(['5: Backup warning', '65: Backup failing']);
});

// conformance: beyond.alarms
test('alarms are still sent after a clock that was wrong by years is corrected', async () => {
  const { at, sent } = startServer();
  for (const minute of [1_000_000, 1_000_005]) await at(minute, bad());
  await at(1_000_006, fine());
  for (const minute of [0, 5, 6]) await at(minute, bad());
  expect(sent).toEqual(['1000005: Backup warning', '1000006: Backup fine', '5: Backup warning']);
});

// conformance: beyond.alarms
test('several servers report a shared problem once, and each server reports its own problems', async () => {
  const servers = [startServer(), startServer({ server: 'two' })];
  const diskProblem: HealthLine = { ...bad('warning', 'Disk'), isOfServer: true };
  for (const minute of [0, 5, 6]) await Promise.all(servers.map(({ at }) => at(minute, bad(), diskProblem)));
  const all = servers.flatMap(({ sent }) => sent).join();
  expect(all.match(/Backup warning/g)).toHaveLength(1);
  expect(all.match(/Disk warning/g)).toHaveLength(2);
  for (const { at } of servers) await at(7, fine(), diskProblem);
  expect(
    servers
      .flatMap(({ sent }) => sent)
      .join()
      .match(/Backup fine/g),
  ).toHaveLength(1);
});

// conformance: beyond.alarms
test('a restarted server does not repeat a report', async () => {
  const first = startServer();
  for (const minute of [0, 5]) await first.at(minute, bad());
  const second = startServer();
  for (const minute of [6, 11, 80]) await second.at(minute, bad());
  expect([first.sent, second.sent]).toEqual([['5: Backup warning'], []]);
});

// conformance: beyond.alarms
test('an alarm that could not be sent is sent again', async () => {
  let isDown = true;
  const { at, sent, logged } = startServer({ refuse: () => isDown });
  for (const minute of [0, 5]) await at(minute, bad());
  expect(logged).toMatchObject([{ msg: 'An alarm could not be sent; the next attempt is in a minute.' }]);
  isDown = false;
  await at(6, bad());
  expect(sent).toEqual(['6: Backup warning']);
});

// conformance: beyond.alarms
test('an unavailable database is reported, and so is its recovery', async () => {
  let isDown = true;
  const transaction: Knex['transaction'] = (work: never) =>
    isDown
      ? Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
      : database.write.transaction(work);
  const { at, sent } = startServer({ write: { transaction } });
  for (const minute of [0, 5, 6]) await at(minute, bad('failing', 'Database'));
  isDown = false;
  for (const minute of [7, 8]) await at(minute, fine('Database'));
  expect(sent).toEqual(['5: Database failing', '7: Database fine']);
});

describe('sending', () => {
  const message: AlarmMessage = {
    problems: [bad('failing')].filter((line) => line.state !== 'fine'),
    fineAgain: [fine('Disk')],
  };
  const options = (environment: Readonly<Record<string, string>>) => {
    const { log, logged } = createMemoryLog();
    const { config } = configure([], environment);
    return { options: { config, log, product: 'QAL', server: 'one', now: new Date(START) }, logged };
  };
  const HOOK = { QAL_WEBHOOK_SECRET: 'a-secret-of-16-chars', QAL_WEBHOOK_PRIVATE: 'on' };

  // conformance: beyond.alarms
  test('the webhook receives signed JSON', async () => {
    const { received, url, close } = await receiveWebhooks();
    const environment = { ...HOOK, QAL_ALARM_WEBHOOK: url, QAL_PUBLIC_URL: 'https://stats.example' };
    await sendAlarm(message, options(environment).options);
    close();
    const [{ headers, body } = { headers: undefined, body: '' }] = received;
    expect(JSON.parse(body)).toEqual({
      installation: 'QAL',
      server: 'one',
      at: '2026-11-28T12:00:00.000Z',
      problems: [
        {
          check: 'Backup',
          state: 'failing',
          brief: '3% free',
          about: 'The disk is full.',
          remedy: 'Free up space.',
          command: 'qal backup',
        },
      ],
      fineAgain: [{ check: 'Disk', brief: 'all is well' }],
      health: 'https://stats.example/wp-admin/health',
    });
    expect(headers?.['x-qal-signature']).toBe(signatureOf(HOOK.QAL_WEBHOOK_SECRET, START / 1000, body));
  });

  // conformance: beyond.alarms
  test.each([302, 404, 500])('a webhook that returns %d has not accepted the alarm', async (status) => {
    const { received, url, close } = await receiveWebhooks(status);
    const { options: given } = options({ ...HOOK, QAL_ALARM_WEBHOOK: url });
    await expect(sendAlarm(message, given)).rejects.toThrow(`The webhook responded with status ${status}.`);
    close();
    expect(received).toHaveLength(1);
  });

  // attack: webhook-private-address
  test.each([
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest',
    'https://10.1.2.3/',
    'https://192.168.0.1/',
    'https://[fd00::1]/',
    'https://0x7f000001/',
    'https://localhost/',
  ])('the webhook %s is rejected, because its address is not public', async (url) => {
    const hook = { url, secret: 'secret', allowPrivate: false };
    await expect(postWebhook(hook, {}, new Date())).rejects.toThrow('is not a public address');
  });

  // conformance: beyond.alarms
  test('a mail server accepts the email', async () => {
    const mail = await receiveMail();
    const environment = {
      QAL_SMTP_URL: mail.url,
      QAL_MAIL_FROM: 'qal@shop.example',
      QAL_ALARM_MAIL: 'ann@shop.example, bob@shop.example',
      QAL_PUBLIC_URL: 'https://stats.example',
    };
    await sendAlarm(message, options(environment).options);
    const test = await runCommand({ database, environment }, ['health', '--test-alarm']);
    mail.close();
    const text = mail.received();
    expect(test).toEqual({ code: 0, out: '', err: 'A test alarm was sent.\n' });
    expect(text).toContain('RCPT TO:<ann@shop.example>');
    expect(text).toContain('RCPT TO:<bob@shop.example>');
    expect(text).toContain('Subject: QAL on one: Backup: failing, 3% free and 1 more');
    expect(text).toContain('The disk is full.\r\nFree up space.\r\n\r\n    qal backup\r\n');
    expect(text).toContain('Recovered: Disk: fine, all is well');
    expect(text).toContain('Health: https://stats.example/wp-admin/health');
  });

  // conformance: beyond.alarms
  test('the connection to a mail server whose response never ends is closed', async () => {
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      socket.write('220 test\r\n');
      let timer: NodeJS.Timeout | undefined;
      socket.once('data', () => {
        timer = setInterval(() => socket.write('250-wait\r\n'), 1);
      });
      socket.on('close', () => clearInterval(timer));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const smtpUrl = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const mail = { to: ['ann@shop.example'], subject: 'a', text: 'b' };
    await expect(sendMail({ smtpUrl, mailFrom: 'qal@shop.example' }, mail, 500)).rejects.toThrow(
      'had not finished',
    );
    await until(() => sockets.length === 1 && sockets.every(({ destroyed }) => destroyed));
    server.close();
  });

  // conformance: beyond.alarms
  test.each(['smtp', 'smtps'])(
    'a password is not sent over %s to a server that does not encrypt',
    async (protocol) => {
      let text = '';
      const server = createTcpServer((socket) => {
        socket.write('220 test\r\n');
        socket.on('error', () => {});
        socket.on('data', (piece) => {
          text += String(piece);
          socket.write('250-test\r\n250 AUTH PLAIN LOGIN\r\n');
        });
      });
      server.listen(0, '0.0.0.0');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const smtpUrl = `${protocol}://ann:secret-word@0.0.0.0:${port}`;
      const mail = { to: ['ann@shop.example'], subject: 'a', text: 'b' };
      const error: unknown = await sendMail({ smtpUrl, mailFrom: 'qal@shop.example' }, mail).catch((e) => e);
      server.close();
      expect(error).toBeInstanceOf(Error);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/secret-word|c2VjcmV0LXdvcmQ/);
      expect(text).not.toContain('AUTH');
    },
  );

  // conformance: beyond.alarms
  test('it is enough for either the e-mail or the webhook to work, and the failure of the other is logged', async () => {
    const { url, close } = await receiveWebhooks();
    const mail = {
      QAL_SMTP_URL: 'smtp://127.0.0.1:1',
      QAL_MAIL_FROM: 'a@b.example',
      QAL_ALARM_MAIL: 'a@b.example',
    };
    const { options: both, logged } = options({ ...HOOK, ...mail, QAL_ALARM_WEBHOOK: url });
    await sendAlarm(message, both);
    close();
    expect(logged).toMatchObject([{ msg: 'The e-mail or the webhook for an alarm failed.' }]);
    await expect(sendAlarm(message, options(mail).options)).rejects.toThrow('ECONNREFUSED');
  });

  test('the server does not start if settings that alarms need are missing', () => {
    const faults = (environment: Readonly<Record<string, string>>) => {
      try {
        configure([], environment);
        return [];
      } catch (error) {
        return error instanceof ConfigError ? error.faults : [error];
      }
    };
    expect(faults({ QAL_ALARM_MAIL: 'ann@shop.example' })).toEqual([
      'QAL_ALARM_MAIL needs QAL_SMTP_URL and QAL_MAIL_FROM too.',
    ]);
    expect(faults({ QAL_ALARM_WEBHOOK: 'https://h.example/' })).toEqual([
      'QAL_ALARM_WEBHOOK needs QAL_WEBHOOK_SECRET too.',
    ]);
    expect(faults({ QAL_ALARM_MAIL: 'ann' })).toHaveLength(1);
    const plain = { ...HOOK, QAL_ALARM_WEBHOOK: 'http://h.example/' };
    expect(faults(plain)).toEqual([]);
    expect(faults({ ...plain, QAL_WEBHOOK_PRIVATE: 'off' })).toEqual([
      expect.stringMatching(/^QAL_ALARM_WEBHOOK must begin with https:/),
    ]);
  });
});
