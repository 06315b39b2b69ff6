// The page for a database outage. Without a database the user is unknown, so it has no menu.
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { isUnavailable, UNAVAILABLE } from '../extension-api';
import type { SendPage } from './send-page';

const MESSAGE =
  'The database is unavailable at the moment. Reload this page in a few seconds. If you just submitted a form, check first whether it was saved.';

export const unavailablePage =
  (sendPage: SendPage, log: Pick<Logger, 'warn'>) =>
  (error: unknown, request: Request, response: Response, next: NextFunction): void => {
    if (!isUnavailable(error) || response.headersSent) {
      next(error);
      return;
    }
    log.warn(
      { err: error, requestId: request.id },
      'The database did not respond while a page was being served.',
    );
    response.setHeader('Retry-After', String(UNAVAILABLE.retryAfterSeconds));
    const view = 'host-shim/admin/views/fault';
    const title = 'Temporarily unavailable';
    sendPage(
      { kind: 'page', view, data: { message: MESSAGE }, status: 503, title },
      { request, response },
    ).catch(next);
  };
