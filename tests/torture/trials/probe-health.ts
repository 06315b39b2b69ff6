// Measures the response times of /healthz from a separate process while other work is running.
import { join } from 'node:path';
import { z } from 'zod';
import { startProgram } from '../../support/program-process';

export interface Health {
  /** The number of responses other than 200. */
  readonly missed: number;
  /** A quantile of the response times, in milliseconds. */
  at(share: number): number;
  /** The same, as text. */
  said(share: number): string;
}

export async function probeHealth(url: string, work: () => Promise<void>): Promise<Health> {
  const probe = startProgram([join(__dirname, 'probe-health.mjs'), url], {});
  try {
    await work();
  } finally {
    probe.child.stdin?.end();
    await probe.ended;
  }
  const times = z.array(z.number().nullable()).parse(JSON.parse(probe.text.out));
  const sorted = times.map((time) => time ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return {
    missed: times.filter((time) => time === null).length,
    at,
    said: (share) => (Number.isFinite(at(share)) ? `${at(share)} ms` : 'over 30 s'),
  };
}
