// What the pages read of a request: its form, its query, and whether it came from one of our own pages.
import express, { type NextFunction, type Request, type Response } from 'express';
import { homeOf } from '../rest/rest-handler';

const LIMIT_KB = 512;

const FORM_TYPE = 'application/x-www-form-urlencoded';
const readText = express.text({ type: FORM_TYPE, limit: LIMIT_KB * 1024 });

const REASONS: Readonly<Record<number, string>> = {
  413: `A form has at most ${LIMIT_KB} kB; this one has more. Nothing was changed.`,
  415: 'A form is sent as UTF-8; this one is not. Nothing was changed.',
};

const statusOf = (error: unknown): number =>
  typeof error === 'object' && error !== null && 'status' in error && typeof error.status === 'number'
    ? error.status
    : 500;

function refuse(response: Response, status: number): void {
  response
    .status(status)
    .type('text/plain')
    .send(`${REASONS[status] ?? 'The form could not be read. Nothing was changed.'}\n`);
}

/** Middleware: reads the form of a POST for formOf, or refuses it in words. */
export function readForm(request: Request, response: Response, next: NextFunction): void {
  if (request.headers.expect !== undefined && request.is(FORM_TYPE)) {
    // The client waits for permission to send; express would wait for the end of a form that is too large.
    if (Number(request.headers['content-length'] ?? 0) > LIMIT_KB * 1024) {
      refuse(response.set('Connection', 'close'), 413);
      return;
    }
    response.writeContinue();
  }
  readText(request, response, (error?: unknown) => {
    const status = error === undefined ? 200 : statusOf(error);
    if (status < 400) next();
    else if (status >= 500) next(error);
    else refuse(response, status);
  });
}

/** The fields of a form; none in a body of another type. */
export const formOf = (request: Request): URLSearchParams =>
  new URLSearchParams(typeof request.body === 'string' ? request.body : '');

export const queryOf = ({ url }: Request): Record<string, string> => {
  const mark = url.indexOf('?');
  return mark < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(mark)));
};

/** Browsers say where a form comes from. Whoever does not say is let through, to the nonce or the password. */
export function isFromHere(request: Request): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const origin = request.get('origin');
  return origin === undefined || origin === homeOf(request);
}
