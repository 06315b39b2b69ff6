// The log: JSON lines on stderr, since stdout belongs to people and to results.
// Never logged: headers (they hold credentials), query strings and bodies.
import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import { type Logger, pino } from 'pino';
import { type Options, pinoHttp } from 'pino-http';
import { callerAddress } from '../auth/caller-address';
import { pathAndQueryOf } from '../rest/route-address';
import type { Config } from './config';
import { traceParentOf } from './trace-parent';

export function createLog(
  level: Config['logLevel'],
  destination: NodeJS.WritableStream = process.stderr,
): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/** The caller's X-Request-Id where it is harmless. */
const HARMLESS_ID = /^[A-Za-z0-9._:-]{1,64}$/;

const pathOf = (url = '') => pathAndQueryOf(url).split('?', 1)[0];

/** Code that refuses a request temporarily logs the reason if that is worth a line. */
const UNAVAILABLE = 503;

/** One line per answered request: faults of ours as errors, all others at info. Sets X-Request-Id and `request.id`. */
export function createRequestLog(log: Logger) {
  const options: Options = {
    logger: log,
    genReqId(request, response) {
      const { 'x-request-id': sent, traceparent } = request.headers;
      const isHarmless = typeof sent === 'string' && HARMLESS_ID.test(sent);
      const id = isHarmless ? sent : (traceParentOf(traceparent)?.traceId ?? randomUUID());
      response.setHeader('X-Request-Id', id);
      return id;
    },
    customLogLevel: (_request, response, error) =>
      error !== undefined || (response.statusCode >= 500 && response.statusCode !== UNAVAILABLE)
        ? 'error'
        : 'info',
    // Of the same name as in every other line on the request.
    customProps: (request) => ({ requestId: request.id }),
    wrapSerializers: false,
    serializers: {
      req: (request: Request) => ({
        method: request.method,
        path: pathOf(request.url),
        address: callerAddress(request),
      }),
      res: (response: { statusCode: number }) => ({ status: response.statusCode }),
    },
  };
  return pinoHttp(options);
}
