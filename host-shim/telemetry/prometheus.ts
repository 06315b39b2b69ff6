// Loaded only if metrics are enabled.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Log, Metric, Telemetry } from '../extension-api';
import { withinTime } from '../server/within-time';

export interface Prometheus extends Omit<Telemetry, 'inSpan'> {
  /** Never rejects: a gauge that cannot be read is logged and omitted. */
  scrape(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** The buckets range from a cached response's time to a query's default time limit. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** The time limit for all gauges together: Prometheus times out after 10 s. */
const MAX_SCRAPE_MS = 5_000;

/** Includes Node's metrics for this process. */
export function openPrometheus(log: Log): Prometheus {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  const gauges = new Map<string, Gauge>();
  const readers = new Map<string, () => Promise<void>>();
  let scraping: ReturnType<Prometheus['scrape']> | undefined;

  function find<Kind>(known: Map<string, Kind>, name: string, create: () => Kind): Kind {
    const found = known.get(name) ?? create();
    known.set(name, found);
    return found;
  }
  const described = ({ name, help, labels }: Metric) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });

  return {
    count(metric, labels) {
      find(counters, metric.name, () => new Counter(described(metric))).inc(labels);
    },
    observe(metric, labels, seconds) {
      const create = () => new Histogram({ ...described(metric), buckets: SECONDS });
      find(histograms, metric.name, create).observe(labels, seconds);
    },
    gauge(metric, read) {
      const gauge = find(gauges, metric.name, () => new Gauge(described(metric)));
      readers.set(metric.name, async () => {
        gauge.reset();
        // A reset sets a gauge without labels to 0, even if no value is available.
        if (metric.labels.length === 0) gauge.remove();
        for (const { labels, value } of await read()) gauge.set(labels, value);
      });
    },
    /** Concurrent scrapes share one reading, because otherwise each would reset the gauges that the other has read. */
    scrape() {
      scraping ??= readAll().finally(() => {
        scraping = undefined;
      });
      return scraping;
    },
  };

  async function readAll() {
    const end = performance.now() + MAX_SCRAPE_MS;
    // Read one at a time, because they use the connections that they count.
    for (const [name, read] of readers)
      await withinTime(read, Math.max(0, end - performance.now())).catch((error: unknown) =>
        log.warn({ err: error, metric: name }, 'A metric could not be read.'),
      );
    return { contentType: registry.contentType, text: await registry.metrics() };
  }
}
