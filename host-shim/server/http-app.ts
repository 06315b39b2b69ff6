// The Express app: common headers, REST, health checks, the front page, and the pages.
import cors from 'cors';
import express, {
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type Response,
  type Router,
} from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { isUnavailable, UNAVAILABLE } from '../extension-api';
import type { ProbeAnswer, Probes } from '../health/probes';
import { hostFailure } from '../rest/host-error';
import {
  createRestHandler,
  homeOf,
  linkToRoot,
  PUBLIC_URL,
  type RestHandlerOptions,
} from '../rest/rest-handler';
import { routeAddressOf } from '../rest/route-address';
import { nameRoute } from '../rest/route-name';
import { rootOf } from '../rest/self-description';
import { answerMetrics, measureRequests } from '../telemetry/host-metrics';
import type { OpenTelemetry } from '../telemetry/telemetry';
import { createRequestLog } from './logging';
import { FIRST_PAGE } from './page-addresses';

interface AppOptions extends RestHandlerOptions {
  readonly log: Logger;
  readonly production: boolean;
  readonly trustProxy: number | readonly string[] | undefined;
  readonly publicUrl: string | undefined;
  readonly routers: Readonly<Record<string, Router>>;
  readonly answerPageError: ErrorRequestHandler;
  readonly probes: Probes;
  readonly telemetry: OpenTelemetry;
}

const EXPOSED =
  'X-WP-Total, X-WP-TotalPages, Link, ETag, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After';

/** As in WordPress, any origin may send credentials: a REST request with a cookie but no nonce is anonymous. */
const shareWithOtherOrigins = cors({
  origin: true,
  credentials: true,
  methods: ['OPTIONS', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: [
    'Authorization',
    'X-WP-Nonce',
    'X-HTTP-Method-Override',
    'Content-Disposition',
    'Content-MD5',
    'Content-Type',
    'X-Request-Id',
  ],
  exposedHeaders: EXPOSED,
  maxAge: 600,
  preflightContinue: true,
});

const sendText = (response: Response, status: number, text: string) =>
  response.status(status).set('Cache-Control', 'no-store').type('text/plain').send(`${text}\n`);

const sendProbe = (response: Response, { status, contentType, text }: ProbeAnswer) =>
  response.status(status).set('Cache-Control', 'no-store').type(contentType).send(text);

const BROKEN_RESPONSE = 'A response failed after its first part was sent.';
/** Set by pino-http, which runs first. */
const idOf = (request: Request): string => String(request.id);

export function createApp(options: AppOptions): Express {
  const { name, description, restPrefix, probes } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  if (options.trustProxy !== undefined) app.set('trust proxy', options.trustProxy);
  app.set(PUBLIC_URL, options.publicUrl);

  app.use(createRequestLog(options.log));
  if (options.telemetry.traceRequests !== undefined) app.use(options.telemetry.traceRequests);
  app.use(measureRequests(options.telemetry));
  app.use(
    helmet({
      strictTransportSecurity: options.production,
      // Pages set their own policy.
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
      crossOriginResourcePolicy: { policy: 'cross-origin' },
    }),
  );

  const answerRest = createRestHandler(options);
  app.use((request, response, next) => {
    const address = routeAddressOf(request.url, restPrefix);
    if (address === undefined) {
      next();
      return;
    }
    shareWithOtherOrigins(request, response, () => {
      answerRest(request, response, address, idOf(request)).catch(next);
    });
  });

  for (const path of ['/healthz', '/readyz', '/metrics', '/', '/index.php', ...Object.keys(options.routers)])
    app.use(path === '/' ? /^\/$/ : path, (_request, response, next) => {
      nameRoute(response, path);
      next();
    });
  if (options.telemetry.metrics !== undefined) app.get('/metrics', answerMetrics(options.telemetry.metrics));
  app.get('/healthz', async ({ url }, response) => {
    const isDetailed = /[?&]details=1(&|$)/.test(url);
    sendProbe(response, await (isDetailed ? probes.details() : probes.alive()));
  });
  app.get('/readyz', async (_request, response) => {
    sendProbe(response, await probes.ready());
  });
  app.get(['/', '/index.php'], (request, response) => {
    const root = rootOf({ home: homeOf(request), restPrefix });
    response.setHeader('Link', linkToRoot(root));
    response.vary('Accept');
    // A browser asks for HTML; a program receives text that points to the REST interface.
    if (request.get('accept')?.includes('text/html') === true) {
      response.redirect(302, FIRST_PAGE);
      return;
    }
    sendText(
      response,
      200,
      `${name}: ${description}\nREST interface: ${root}\nPages: ${homeOf(request)}${FIRST_PAGE}`,
    );
  });
  for (const [path, router] of Object.entries(options.routers))
    app.use(path, router, options.answerPageError);
  app.use((request, response) => {
    sendText(
      response,
      404,
      `Not found. The REST interface is at ${rootOf({ home: homeOf(request), restPrefix })}`,
    );
  });
  app.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
    if (isUnavailable(error) && !response.headersSent) {
      options.log.warn(
        { err: error, requestId: request.id },
        'The database did not respond during a request.',
      );
      const { status, body } = hostFailure(UNAVAILABLE);
      response.status(status).set('Retry-After', String(UNAVAILABLE.retryAfterSeconds)).json(body);
      return;
    }
    const message = response.headersSent ? BROKEN_RESPONSE : 'A request failed outside a route.';
    options.log.error({ err: error, requestId: request.id }, message);
    if (response.headersSent) {
      next(error);
      return;
    }
    const { status, body } = hostFailure({ kind: 'internal', requestId: idOf(request) });
    response.status(status).json(body);
  });
  return app;
}
