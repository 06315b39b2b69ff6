import { Socket } from 'node:net';
import type { Mail } from '../extension-api';
import type { Config } from '../server/config';
import { withinTime } from '../server/within-time';

interface RenderedMail extends Omit<Mail, 'html'> {
  readonly html?: string | undefined;
}

const TIMEOUT_MS = 20_000;
/** A server that occasionally sends a byte could keep the connection open forever. */
const MAX_DURATION_MS = 60_000;
const LOOPBACK = /^(localhost|127\.|\[::1\]$)/;

/** Throws unless the server accepts the message for at least one recipient. */
export async function sendMail(
  { smtpUrl, mailFrom }: Pick<Config, 'smtpUrl' | 'mailFrom'>,
  { to, ...content }: RenderedMail,
  maxDurationMs = MAX_DURATION_MS,
): Promise<void> {
  if (smtpUrl === undefined || mailFrom === undefined)
    throw new Error('Sending mail requires QAL_SMTP_URL and QAL_MAIL_FROM.');
  // Loaded on demand, so that it does not slow the startup of commands that send no mail.
  const { createTransport } = await import('nodemailer');
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const secure = protocol === 'smtps:';
  // Closing the transport would leave the connection open while a message is still being sent.
  const socket = new Socket();
  const transport = createTransport({
    host: hostname,
    secure,
    socket,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    // A password is sent unencrypted only to this machine.
    requireTLS: !secure && username !== '' && !LOOPBACK.test(hostname),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await withinTime(() => transport.sendMail({ ...content, from: mailFrom, to: [...to] }), maxDurationMs);
  } finally {
    transport.close();
    socket.destroy();
  }
}
