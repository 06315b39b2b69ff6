// What this process tells programs outside, by its settings. Nothing is loaded for what is not asked for.
import type { Config } from '../config';
import { type Log, NO_TELEMETRY, type Telemetry } from '../extension-api';
import type { Prometheus } from './prometheus';

export interface OpenTelemetry extends Telemetry {
  /** undefined = nobody may read metrics. */
  readonly metrics?: { readonly token: string; readonly scrape: Prometheus['scrape'] } | undefined;
}

export async function openTelemetry(
  { metricsToken }: Partial<Pick<Config, 'metricsToken'>>,
  log: Log,
): Promise<OpenTelemetry> {
  if (metricsToken === undefined) return NO_TELEMETRY;
  const { openPrometheus } = await import('./prometheus.js');
  const { scrape, ...metrics } = openPrometheus(log);
  return { ...NO_TELEMETRY, ...metrics, metrics: { token: metricsToken, scrape } };
}
