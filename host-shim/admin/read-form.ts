// Reads the form of a POST, before anything looks at it.
// Fields, or an answer in words for a form that cannot be read; another type of body is an empty form.
import express, { type NextFunction, type Request, type Response } from 'express';

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

export function readForm(request: Request, response: Response, next: NextFunction): void {
  if (request.headers.expect !== undefined && request.is(FORM_TYPE)) {
    // The client waits to be told that its form is wanted; express would wait for the end of one that is too large.
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

/** The fields of a request that went through readForm. */
export const formOf = (request: Request): URLSearchParams =>
  new URLSearchParams(typeof request.body === 'string' ? request.body : '');
