// Sends one HTTP request with no headers but those given.
import { request } from 'node:http';

export interface TestAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed body if it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  readonly body: any;
  readonly text: string;
}

export interface WholeRequest {
  readonly method: string;
  readonly url: string;
  /** A later header replaces an earlier one with the same name, ignoring case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

/** Sends a request on its own connection. */
export function sendRequest({ method, url, headers, body }: WholeRequest): Promise<TestAnswer> {
  return new Promise((resolve, reject) => {
    const sending = request(new URL(url), { method, agent: false }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(pieces).toString('utf8');
        const type = answer.headers['content-type'] ?? '';
        resolve({
          status: answer.statusCode ?? 0,
          headers: Object.fromEntries(
            Object.entries(answer.headers).map(([name, value]) => [name, value?.toString()]),
          ),
          body: text !== '' && /[/+]json\b/i.test(type) ? JSON.parse(text) : undefined,
          text,
        });
      });
    });
    sending.on('error', reject);
    // Node does not frame the body of a GET or DELETE by itself.
    if (body !== undefined) sending.setHeader('Content-Length', Buffer.byteLength(body));
    for (const [name, value] of headers) sending.setHeader(name, value);
    sending.end(body);
  });
}
