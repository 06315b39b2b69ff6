// qal demo: loads the demo site where it is not there yet.
import { InvalidArgumentError } from 'commander';
import { DEMO_SITE, DEMO_VIEWS, loadDemo } from '../../extension/demo/load-demo';
import { type AddCommand, JobFailed } from './command';
import { openProgress } from './progress';

interface DemoOptions {
  readonly views: number;
}

export const demoCommand: AddCommand = (program, context) => {
  program
    .command('demo')
    .description(`load the demo site "${DEMO_SITE}": a made-up shop, its last 90 days`)
    .option('--views <n>', 'about how many page views', wholeNumber, DEMO_VIEWS)
    .action(async (options: DemoOptions) => {
      await context.withDatabase(async ({ write }) => {
        const progress = openProgress(context.terminal, context.clock, options.views);
        try {
          const report = await loadDemo(write, {
            now: context.clock(),
            views: options.views,
            onProgress(done, total) {
              if (context.signal.aborted) throw new JobFailed('Stopped; nothing was imported.');
              progress.show(done, `${done.toLocaleString('en')} of ${total.toLocaleString('en')} views`);
            },
          });
          progress.close();
          context.terminal.stderr.write(
            report === undefined
              ? `Site ${DEMO_SITE} has its data already; nothing was changed.\n`
              : `Loaded ${report.added.toLocaleString('en')} page views of site ${DEMO_SITE}.\n`,
          );
        } finally {
          progress.close();
        }
      });
    });
};

function wholeNumber(text: string): number {
  const number = Number(text);
  if (/^\d{1,8}$/.test(text) && number >= 100) return number;
  throw new InvalidArgumentError('a whole number from 100 on is needed.');
}
