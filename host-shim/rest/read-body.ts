// Reads a request body as text, within a limit. A body without a Content-Type is treated as JSON.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HostFailure } from '../extension-api';

export const BODY_LIMIT_BYTES = 256 * 1024;

export type BodyOutcome =
  /** `form`: the text is application/x-www-form-urlencoded; otherwise it is expected to be JSON. */
  | { readonly ok: true; readonly text: string; readonly form?: true }
  | { readonly ok: false; readonly failure: HostFailure };

type Accepts = 'json' | 'json-or-form';

/** The client disconnected while its body was being read, so no response is needed. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

const JSON_TYPE = /^application\/([\w.+-]+\+)?json$/i;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data';
const UTF8_NAMES = new Set(['utf-8', 'utf8', 'us-ascii']);

const refuse = (failure: HostFailure): BodyOutcome => ({ ok: false, failure });
const wrongType = (reason: string): BodyOutcome => refuse({ kind: 'not-json', problem: 'type', reason });
const tooLarge = refuse({ kind: 'body-too-large', limitBytes: BODY_LIMIT_BYTES });

const partsOfType = ({ headers }: IncomingMessage) =>
  (headers['content-type'] ?? '').split(';').map((part) => part.trim());

const typeOf = (request: IncomingMessage) => partsOfType(request)[0]?.toLowerCase() ?? '';

const isForm = (request: IncomingMessage) => [FORM_TYPE, MULTIPART_TYPE].includes(typeOf(request));

/** Some clients send a Content-Type with a DELETE request that has no body. */
const isEmpty = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;

function faultOfHeaders(request: IncomingMessage, accepts: Accepts): BodyOutcome | undefined {
  if (accepts === 'json-or-form' && isEmpty(request)) return undefined;
  const { headers } = request;
  const [type = '', ...parameters] = partsOfType(request);
  if (type !== '' && !JSON_TYPE.test(type) && !(accepts === 'json-or-form' && isForm(request))) {
    const orForm = accepts === 'json-or-form' ? `, or a form as ${FORM_TYPE}` : '';
    return wrongType(
      `The body is of type ${type}; send JSON with the header "Content-Type: application/json"${orForm}.`,
    );
  }
  const charset = parameters
    .find((parameter) => /^charset=/i.test(parameter))
    ?.slice(8)
    .replaceAll('"', '')
    .toLowerCase();
  if (charset !== undefined && !UTF8_NAMES.has(charset))
    return wrongType(`The body is in ${charset}; send it in UTF-8.`);
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity') return wrongType(`The body is encoded as ${encoding}; send it unencoded.`);
  return Number(headers['content-length'] ?? 0) > BODY_LIMIT_BYTES ? tooLarge : undefined;
}

/** Shared, because creating one takes longer than decoding a query. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): BodyOutcome {
  try {
    return { ok: true, text: utf8.decode(bytes) };
  } catch {
    return refuse({ kind: 'not-json', problem: 'utf-8', reason: 'The body is not valid UTF-8.' });
  }
}

/** Converts a multipart form (`curl -F`) to a urlencoded string. Files are rejected. */
async function decodeParts(bytes: Buffer, type: string): Promise<BodyOutcome> {
  const fields: [string, string][] = [];
  try {
    const form = await new Response(bytes, { headers: { 'Content-Type': type } }).formData();
    for (const [name, value] of form) {
      if (typeof value !== 'string') return wrongType(`The field ${name} is a file; send text.`);
      fields.push([name, value]);
    }
  } catch {
    return wrongType(`The Content-Type is ${MULTIPART_TYPE}, but the body is not valid ${MULTIPART_TYPE}.`);
  }
  return { ok: true, text: new URLSearchParams(fields).toString(), form: true };
}

async function decodeBody(request: IncomingMessage, bytes: Buffer, accepts: Accepts): Promise<BodyOutcome> {
  if (accepts === 'json-or-form' && typeOf(request) === MULTIPART_TYPE)
    return decodeParts(bytes, request.headers['content-type'] ?? '');
  const decoded = decode(bytes);
  return decoded.ok && accepts === 'json-or-form' && isForm(request) ? { ...decoded, form: true } : decoded;
}

/** Returns undefined if the body exceeds `limit` bytes; the rest is not read. Throws a ClientGone if the client disconnects. */
export async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) return undefined;
    }
  } catch (cause) {
    throw new ClientGone('The client disconnected before its body was read.', { cause });
  }
  return Buffer.concat(chunks);
}

export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  accepts: Accepts,
): Promise<BodyOutcome> {
  const fault = faultOfHeaders(request, accepts);
  if (fault !== undefined) return fault;
  if (request.headers.expect !== undefined) response.writeContinue();
  const bytes = await readBytes(request, BODY_LIMIT_BYTES);
  return bytes === undefined ? tooLarge : decodeBody(request, bytes, accepts);
}
