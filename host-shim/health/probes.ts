// The responses to /healthz, /readyz and /metrics, on both the main port and the health port.
import type { OpenTelemetry } from '../telemetry/telemetry';
import { type HealthLine, isFine, lineOf } from './check-health';

export interface ProbeAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

interface ProbeOptions {
  lookAtAll(): Promise<readonly HealthLine[]>;
  /** Only the checks that every query depends on. */
  lookAtVital(): Promise<readonly HealthLine[]>;
  readonly metrics: OpenTelemetry['metrics'];
}

export interface Probes {
  alive(): Promise<ProbeAnswer>;
  /** `/healthz?details=1` */
  details(): Promise<ProbeAnswer>;
  ready(): Promise<ProbeAnswer>;
  /** Only for clients that send the token. */
  metrics(): Promise<ProbeAnswer>;
}

const plainText = (status: number, ...lines: readonly string[]): ProbeAnswer => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  text: `${lines.join('\n')}\n`,
});

export const createProbes = ({ lookAtAll, lookAtVital, metrics }: ProbeOptions): Probes => ({
  alive: async () => plainText(200, 'ok'),
  details: async () => plainText(200, 'ok', ...(await lookAtAll()).map(lineOf)),
  async ready() {
    const lines = await lookAtVital();
    const failing = lines.filter(({ state }) => state === 'failing');
    if (failing.length > 0) return plainText(503, ...failing.map(lineOf));
    return plainText(200, 'ok', ...lines.filter((line) => !isFine(line)).map(lineOf));
  },
  async metrics() {
    if (metrics === undefined) return plainText(404, 'METRICS_TOKEN is not set.');
    return { status: 200, ...(await metrics.scrape()) };
  },
});
