import http from 'node:http';

export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent with POST; without it, the request is a GET. */
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The seconds in the Retry-After header; 0 if it is missing. */
  readonly retryAfter: number;
}

/** Sends a request and reads the whole response. */
export function send({ url, headers, body }: Target, agent: http.Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const request = http.request(url, { method, headers, agent }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(pieces).toString('utf8'),
          retryAfter: Number(response.headers['retry-after'] ?? 0),
        }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
