// Reads the body of a request as text that claims to be JSON, within a limit. Parsing is the extension's affair.
// A missing Content-Type counts as JSON; a form's or another type does not, since nobody means that as a query.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HostFailure } from '../extension-api';

export const BODY_LIMIT_BYTES = 256 * 1024;

export type BodyOutcome =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly failure: HostFailure };

/** The client went away while its body was being read: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

const JSON_TYPE = /^application\/([\w.+-]+\+)?json$/i;
const UTF8_NAMES = new Set(['utf-8', 'utf8', 'us-ascii']);

const refuse = (failure: HostFailure): BodyOutcome => ({ ok: false, failure });
const notJson = (reason: string): BodyOutcome => refuse({ kind: 'not-json', reason });
const tooLarge = refuse({ kind: 'body-too-large', limitBytes: BODY_LIMIT_BYTES });

function faultOfHeaders({ headers }: IncomingMessage): BodyOutcome | undefined {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim());
  if (type !== '' && !JSON_TYPE.test(type)) {
    return notJson(
      `The body is of type ${type}; send JSON with the header "Content-Type: application/json".`,
    );
  }
  const charset = parameters
    .find((parameter) => /^charset=/i.test(parameter))
    ?.slice(8)
    .replaceAll('"', '')
    .toLowerCase();
  if (charset !== undefined && !UTF8_NAMES.has(charset))
    return notJson(`The body is in ${charset}; JSON is sent in UTF-8.`);
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity') return notJson(`The body is encoded as ${encoding}; send it plain.`);
  return Number(headers['content-length'] ?? 0) > BODY_LIMIT_BYTES ? tooLarge : undefined;
}

function decode(bytes: Buffer): BodyOutcome {
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return notJson('The body is not valid UTF-8.');
  }
}

/** Reads to the end, or until the limit; what comes after the limit is let through unread. */
export function readBody(request: IncomingMessage, response: ServerResponse): Promise<BodyOutcome> {
  const fault = faultOfHeaders(request);
  if (fault !== undefined) return Promise.resolve(fault);
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve, reject) => {
    const gone = () => reject(new ClientGone('The client went away before its body was read.'));
    if (request.destroyed) {
      gone();
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_LIMIT_BYTES) chunks.push(chunk);
      else {
        chunks.length = 0;
        resolve(tooLarge);
      }
    });
    request.on('end', () => resolve(decode(Buffer.concat(chunks))));
    request.on('error', gone);
    request.on('close', gone);
  });
}
