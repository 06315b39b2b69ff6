// Logs are JSON lines on stderr; stdout is for results and for messages to people.
// Headers (which contain credentials), query strings and bodies are never logged.
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

const HARMLESS_ID = /^[A-Za-z0-9._:-]{1,64}$/;

const pathOf = (url = '') => pathAndQueryOf(url).split('?', 1)[0];

/** Not logged as an error: the code that returns 503 logs the reason if it matters. */
const UNAVAILABLE = 503;

/** Logs one line per response: 5xx except 503 as an error, others at info. Sets X-Request-Id and `request.id`. */
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
    // The name that all other log lines use.
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
