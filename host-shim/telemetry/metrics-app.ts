import { createHash, timingSafeEqual } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { routeOf } from '../rest/route-name';
import { REQUESTS } from './host-metrics';
import type { OpenTelemetry } from './telemetry';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const LEFT = 499;

export function measureRequests({ observe }: OpenTelemetry) {
  return ({ method }: Request, response: Response, next: NextFunction): void => {
    const begun = performance.now();
    response.once('close', () => {
      const labels = {
        method: METHODS.has(method) ? method : 'other',
        route: routeOf(response),
        status: String(response.writableFinished ? response.statusCode : LEFT),
      };
      observe(REQUESTS, labels, (performance.now() - begun) / 1000);
    });
    next();
  };
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

export function answerMetrics({ token, scrape }: NonNullable<OpenTelemetry['metrics']>) {
  const expected = digestOf(`Bearer ${token}`);
  return async (request: Request, response: Response): Promise<void> => {
    response.set('Cache-Control', 'no-store');
    if (!timingSafeEqual(digestOf(request.get('authorization') ?? ''), expected)) {
      response.status(401).set('WWW-Authenticate', 'Bearer realm="metrics"').type('text/plain');
      response.send('Send the token of METRICS_TOKEN: "Authorization: Bearer TOKEN".\n');
      return;
    }
    const { contentType, text } = await scrape();
    response.set('Content-Type', contentType).send(text);
  };
}
