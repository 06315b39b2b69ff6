import type { Knex } from 'knex';
import { type Clock, type CommandInput, formatCount, JobFailed } from '../../host-shim/extension-api';
import { DEMO_SITE, DEMO_VIEWS, loadDemo } from '../data/demo/load-demo';
import type { ImportReport } from '../data/import/import-options';
import { type AnalyticsCommand, textOption } from './analytics-command';

export const demoCommand: AnalyticsCommand = {
  name: 'demo',
  summary: `load the demo site "${DEMO_SITE}": 90 days of data from a fictional shop`,
  options: [
    {
      flags: '--views <n>',
      about: 'approximate number of page views',
      fallback: String(DEMO_VIEWS),
      check: (text) =>
        /^\d{1,8}$/.test(text) && Number(text) >= 100
          ? undefined
          : 'It must be a whole number of at least 100.',
    },
  ],
  async run({ host, workers }, input) {
    workers.check('all');
    const report = await loadDemoWithProgress(host.database.write, {
      ...input,
      clock: host.clock,
      views: Number(textOption(input.options.views)),
      whenStopped: 'Stopped; nothing was imported.',
    });
    input.err(
      report === undefined
        ? `Site ${DEMO_SITE} already has data; nothing was changed.\n`
        : `Loaded ${formatCount(report.added)} page views into site ${DEMO_SITE}.\n`,
    );
  },
};

interface ShownLoad extends Pick<CommandInput, 'openProgress' | 'signal'> {
  readonly clock: Clock;
  readonly views: number;
  /** The message of the JobFailed that is thrown if the signal is aborted. */
  readonly whenStopped: string;
}

/** Returns undefined if the demo is already loaded. */
export async function loadDemoWithProgress(write: Knex, load: ShownLoad): Promise<ImportReport | undefined> {
  const progress = load.openProgress(load.views);
  try {
    return await loadDemo(write, {
      now: load.clock(),
      views: load.views,
      onProgress(done, total) {
        if (load.signal.aborted) throw new JobFailed(load.whenStopped);
        progress.show(done, `${formatCount(done)} of ${formatCount(total)} views`);
      },
    });
  } finally {
    progress.close();
  }
}
