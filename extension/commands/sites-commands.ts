import { applySites } from '../data/storage/sites/apply-sites';
import { listSites } from '../data/storage/sites/list-sites';
import { readSiteYaml } from '../data/storage/sites/site-file';
import type { AnalyticsCommand } from './analytics-command';

export const applySitesCommand: AnalyticsCommand = {
  name: 'sites apply',
  summary: 'create or change the sites in a YAML file (- for standard input); other sites are not changed',
  args: [{ name: 'file', about: 'YAML file, or - for standard input' }],
  async run({ host, workers }, { args: [file = '-'], readText, table }) {
    workers.check('all');
    const applied = await applySites(host.database.write, readSiteYaml(await readText(file)));
    table(applied.map((site) => [site.trackingId, site.outcome]));
  },
};

export const listSitesCommand: AnalyticsCommand = {
  name: 'sites list',
  summary: 'show all sites',
  async run({ host, workers }, { err, table }) {
    const sites = await listSites(host.database.read, workers);
    if (sites.length === 0)
      return err('There are no sites yet. Create one with: qal sites apply FILE.yaml\n');
    const rows = sites.map((site) => [
      site.trackingId,
      site.domain,
      site.name,
      site.timezone,
      site.isDefault ? 'yes' : '',
      String(site.goals ?? 'unknown'),
      String(site.views ?? 'unknown'),
    ]);
    table([['SITE', 'DOMAIN', 'NAME', 'TIMEZONE', 'DEFAULT', 'GOALS', 'VIEWS'], ...rows]);
  },
};
