import { isUtf8 } from 'node:buffer';
import type { NextFunction, Request, Response } from 'express';
import { ClientGone, readBytes } from '../rest/read-body';
import { closeAfter, originOf } from '../rest/rest-handler';

const LIMIT_KB = 512;
const LIMIT_BYTES = LIMIT_KB * 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i;

const REASONS = {
  413: `A form may be at most ${LIMIT_KB} kB; this one is larger. Nothing was changed.`,
  415: 'A form must be sent as UTF-8 and uncompressed; this one was not. Nothing was changed.',
} as const;

/** Returns the body, or the status to refuse it with. */
async function readFields(request: Request, response: Response): Promise<string | keyof typeof REASONS> {
  const { expect, 'content-encoding': encoding = '', 'content-type': type = '' } = request.headers;
  const length = Number(request.headers['content-length'] ?? 0);
  if (OTHER_CHARSET.test(type) || !['', 'identity'].includes(encoding.trim().toLowerCase())) return 415;
  if (expect !== undefined && length > LIMIT_BYTES) return 413;
  if (expect !== undefined) response.writeContinue();
  const bytes = await readBytes(request, LIMIT_BYTES);
  if (bytes === undefined) return 413;
  return isUtf8(bytes) ? bytes.toString() : 415;
}

export async function readForm(request: Request, response: Response, next: NextFunction): Promise<void> {
  if (!request.is(FORM_TYPE)) return next();
  try {
    const read = await readFields(request, response);
    if (typeof read === 'string') {
      request.body = read;
      return next();
    }
    const text = `${REASONS[read]}\n`;
    response.status(read).type('text/plain');
    if (request.complete) response.send(text);
    else closeAfter(request, response, text);
  } catch (error) {
    if (!(error instanceof ClientGone)) throw error;
  }
}

/** Empty if the body has a different type. */
export const formOf = (request: Request): URLSearchParams =>
  new URLSearchParams(typeof request.body === 'string' ? request.body : '');

export const queryOf = ({ url }: Request): Record<string, string> => {
  const mark = url.indexOf('?');
  return mark < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(mark)));
};

/** Browsers send the origin with a form. A request without it is accepted: the nonce or the password protects it. */
export function isSameOrigin(request: Request): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const origin = request.get('origin');
  return origin === undefined || origin === originOf(request);
}
