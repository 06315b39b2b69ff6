// qal sites apply | list.
import { text as textOf } from 'node:stream/consumers';
import { applySites, listSites } from '../../extension/storage/sites/apply-sites';
import { readSiteYaml } from '../../extension/storage/sites/site-file';
import { columns } from './columns';
import type { AddCommand } from './command';
import { readTextFile } from './read-input';

export const sitesCommand: AddCommand = (program, context) => {
  const sites = program.command('sites').description('the sites that are measured');

  sites
    .command('apply <file>')
    .description(
      'make the sites of a YAML file (- for standard input), or change them to what it says; others are left alone',
    )
    .action(async (file: string) => {
      const text = file === '-' ? await textOf(context.terminal.stdin) : await readTextFile(file);
      await context.withDatabase(async ({ write }) => {
        const applied = await applySites(write, readSiteYaml(text));
        context.terminal.stdout.write(columns(applied.map((site) => [site.trackingId, site.outcome])));
      });
    });

  sites
    .command('list')
    .description('show all sites')
    .action(async () => {
      const listed = await context.withDatabase(({ write }) => listSites(write));
      if (listed.length === 0) {
        context.terminal.stderr.write('There is no site yet. Make one with: qal sites apply FILE.yaml\n');
        return;
      }
      const header = ['SITE', 'DOMAIN', 'NAME', 'TIMEZONE', 'DEFAULT', 'GOALS', 'VIEWS'];
      const rows = listed.map((site) => [
        site.trackingId,
        site.domain,
        site.name,
        site.timezone,
        site.isDefault ? 'yes' : '',
        String(site.goals),
        String(site.views),
      ]);
      context.terminal.stdout.write(columns([header, ...rows]));
    });
};
