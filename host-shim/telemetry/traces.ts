// OpenTelemetry spans, sent via OTLP over HTTP. Loaded only if traces are enabled.
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { NextFunction, Request, Response } from 'express';
import type { Log, Telemetry } from '../extension-api';
import { programVersion } from '../extension-api';
import { routeOf } from '../rest/route-name';
import { traceParentOf } from '../server/trace-parent';

/** Includes retries. A collector that does not respond delays the program's exit by this long. */
const SEND_MS = 3_000;

export interface Traces extends Pick<Telemetry, 'inSpan'> {
  /** Creates a request's parent span, which lasts until its response is sent. */
  traceRequests(request: Request, response: Response, next: NextFunction): void;
  /** Sends pending spans. Never rejects; failures are logged. */
  stop(): Promise<void>;
}

/** Sends the spans to `/v1/traces` under `endpoint`. */
export function openTraces(endpoint: string, log: Log): Traces {
  const quiet = () => {};
  const warn = (message: string, ...details: unknown[]) => log.warn({ details }, `OpenTelemetry: ${message}`);
  diag.setLogger(
    { error: warn, warn, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'qal', 'service.version': programVersion() }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url, timeoutMillis: SEND_MS }) }),
    ],
  });
  const tracer = provider.getTracer('qal', programVersion());
  const currentContext = new AsyncLocalStorage<Context>();

  return {
    traceRequests(request, response, next) {
      const { method } = request;
      const span = tracer.startSpan(method, { kind: SpanKind.SERVER }, callerOf(request));
      span.setAttributes({ 'http.request.method': method, 'qal.request_id': String(request.id) });
      response.once('close', () => {
        const { statusCode } = response;
        const route = routeOf(response);
        span.updateName(`${method} ${route}`);
        span.setAttributes({ 'http.route': route, 'http.response.status_code': statusCode });
        if (!response.writableFinished) span.setAttribute('error.type', 'client_left');
        if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      });
      currentContext.run(trace.setSpan(ROOT_CONTEXT, span), next);
    },
    inSpan(name, work) {
      const parent = currentContext.getStore();
      if (parent === undefined) return work({ note: quiet });
      const span = tracer.startSpan(name, {}, parent);
      return currentContext.run(trace.setSpan(parent, span), async () => {
        try {
          return await work({ note: (attributes) => void span.setAttributes(attributes) });
        } catch (error) {
          // The message may contain a string from a client.
          span.setStatus({ code: SpanStatusCode.ERROR });
          span.setAttribute('error.type', typeOf(error));
          throw error;
        } finally {
          span.end();
        }
      });
    },
    stop: () =>
      provider
        .shutdown()
        .catch((error: unknown) => log.warn({ err: error }, 'OpenTelemetry: the last spans were not sent.')),
  };
}

/** The caller's trace, from the traceparent header. */
function callerOf({ headers }: Request): Context {
  const caller = traceParentOf(headers.traceparent);
  if (caller === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = caller;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

const typeOf = (error: unknown): string =>
  error instanceof Error ? ('code' in error ? String(error.code) : error.name) : typeof error;
