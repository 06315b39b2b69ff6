// The messages that extensions may send.
import { renderView } from '../admin/render-view';
import type { Clock, Messages } from '../extension-api';
import type { Config } from '../server/config';
import { sendMail } from './mail';
import { postWebhook } from './webhook';

type MessageConfig = Pick<Config, 'smtpUrl' | 'mailFrom' | 'webhookSecret' | 'webhookPrivate'>;

export function createMessages(config: MessageConfig, clock: Clock): Messages {
  const { smtpUrl, mailFrom, webhookSecret: secret, webhookPrivate: allowPrivate } = config;
  return {
    sendMail:
      smtpUrl === undefined || mailFrom === undefined
        ? undefined
        : ({ html, ...mail }) =>
            sendMail(config, { ...mail, html: html && renderView(html.view, html.data) }),
    postWebhook:
      secret === undefined
        ? undefined
        : (url, message) => postWebhook({ url, secret, allowPrivate }, message, clock()),
  };
}
