// A mail server and a web server that record what they receive.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';

export interface MailReceiver {
  readonly url: string;
  /** Everything that clients sent: commands, headers and bodies. */
  received(): string;
  /** The messages with their headers. */
  mails(): readonly string[];
  /** Rejects all mail with this line, such as `550 no such mailbox`, or accepts it if the line is undefined. */
  refuse(line: string | undefined): void;
  close(): void;
}

export async function receiveMail(): Promise<MailReceiver> {
  let all = '';
  let refusal: string | undefined;
  const mails: string[] = [];
  const server = createTcpServer((socket) => {
    let mail: string | undefined;
    socket.write('220 test\r\n');
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      const line = String(piece);
      all += line;
      if (mail !== undefined) {
        mail += line;
        if (!mail.endsWith('\r\n.\r\n')) return;
        // In SMTP, a dot at the start of a line is doubled.
        mails.push(mail.replace(/^\.\./gm, '.'));
        mail = undefined;
        socket.write('250 stored\r\n');
      } else if (line.startsWith('DATA')) {
        mail = '';
        socket.write('354 go on\r\n');
      } else if (line.startsWith('RCPT')) socket.write(`${refusal ?? '250 ok'}\r\n`);
      else socket.write(line.startsWith('QUIT') ? '221 bye\r\n' : '250 ok\r\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => all,
    mails: () => mails,
    refuse(line) {
      refusal = line;
    },
    close: () => void server.close(),
  };
}

export interface WebhookReceiver {
  readonly url: string;
  readonly received: readonly { readonly headers: IncomingHttpHeaders; readonly body: string }[];
  close(): void;
}

export async function receiveWebhooks(status = 204): Promise<WebhookReceiver> {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(status, { Location: 'http://127.0.0.1:1/' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return {
    received,
    url,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
