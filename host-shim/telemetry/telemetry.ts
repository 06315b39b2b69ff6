import { type Log, NO_TELEMETRY, type Telemetry } from '../extension-api';
import type { Config } from '../server/config';
import type { Prometheus } from './prometheus';
import type { Traces } from './traces';

export interface OpenTelemetry extends Telemetry, Partial<Pick<Traces, 'stop' | 'traceRequests'>> {
  readonly metrics?: { readonly token: string; readonly scrape: Prometheus['scrape'] } | undefined;
}

type TelemetrySettings = Partial<Pick<Config, 'metricsToken' | 'otlpEndpoint'>>;

export async function openTelemetry(
  { metricsToken, otlpEndpoint }: TelemetrySettings,
  log: Log,
): Promise<OpenTelemetry> {
  return {
    ...NO_TELEMETRY,
    ...(metricsToken !== undefined && (await openMetrics(metricsToken, log))),
    ...(otlpEndpoint !== undefined && (await import('./traces.js')).openTraces(otlpEndpoint, log)),
  };
}

async function openMetrics(token: string, log: Log) {
  const { openPrometheus } = await import('./prometheus.js');
  const { scrape, ...metrics } = openPrometheus(log);
  return { ...metrics, metrics: { token, scrape } };
}
