import { type Log, pageAddress } from '../extension-api';
import { type HealthLine, lineOf } from '../health/check-health';
import type { Config } from '../server/config';
import type { AlarmMessage } from './alarms';
import { sendMail } from './mail';
import { postWebhook } from './webhook';

type AlarmConfig = Pick<
  Config,
  'smtpUrl' | 'mailFrom' | 'alarmMail' | 'alarmWebhook' | 'webhookSecret' | 'webhookPrivate' | 'publicUrl'
>;

export const hasAlarms = ({ alarmMail, alarmWebhook }: AlarmConfig): boolean =>
  alarmMail !== undefined || alarmWebhook !== undefined;

interface SendOptions {
  readonly config: AlarmConfig;
  readonly product: string;
  readonly server: string;
  readonly now: Date;
  readonly log: Log;
}

/** Throws if neither the e-mail nor the webhook was accepted. */
export async function sendAlarm(message: AlarmMessage, options: SendOptions): Promise<void> {
  const { config, log, now } = options;
  const { alarmMail, alarmWebhook: url, webhookSecret: secret, webhookPrivate: allowPrivate } = config;
  const sent = await Promise.allSettled([
    ...(alarmMail === undefined ? [] : [sendMail(config, { to: alarmMail, ...mailOf(message, options) })]),
    ...(url === undefined || secret === undefined
      ? []
      : [postWebhook({ url, secret, allowPrivate }, bodyOf(message, options), now)]),
  ]);
  const errors = sent.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  if (errors.length === sent.length) throw new AggregateError(errors, errors.map(String).join(' '));
  for (const error of errors) log.error({ err: error }, 'The e-mail or the webhook for an alarm failed.');
}

const healthPage = ({ publicUrl }: AlarmConfig): string | undefined =>
  publicUrl && publicUrl + pageAddress('health');

function mailOf({ problems, fineAgain }: AlarmMessage, { config, product, server }: SendOptions) {
  const health = healthPage(config);
  const [first] = [...problems, ...fineAgain];
  const more = problems.length + fineAgain.length - 1;
  const about = first === undefined ? 'a test' : lineOf(first);
  return {
    subject: `${product} on ${server}: ${about}${more > 0 ? ` and ${more} more` : ''}`.replace(/\s+/g, ' '),
    text: [
      ...problems.map(
        (line) =>
          `${lineOf(line)}\n\n${line.about}\n${line.remedy.text}${line.remedy.command === undefined ? '' : `\n\n    ${line.remedy.command}`}\n`,
      ),
      ...fineAgain.map((line) => `Recovered: ${lineOf(line)}\n`),
      ...(first === undefined ? ['This is a test. Alarms will arrive here.\n'] : []),
      ...(health === undefined ? [] : [`Health: ${health}\n`]),
    ].join('\n'),
  };
}

const bodyOf = ({ problems, fineAgain }: AlarmMessage, { config, product, server, now }: SendOptions) => ({
  installation: product,
  server,
  at: now.toISOString(),
  problems: problems.map(({ title, state, brief, about, remedy }) => ({
    check: title,
    state,
    brief,
    about,
    remedy: remedy.text,
    command: remedy.command ?? null,
  })),
  fineAgain: fineAgain.map(({ title, brief }: HealthLine) => ({ check: title, brief })),
  health: healthPage(config) ?? null,
});
