// Loads the demo when the server starts without sites, and shows how to run a first query.
import type { Actions, Filters, HostTools } from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import { topPagesQuery } from '../api/top-pages-query';
import { DEMO_DOMAIN, DEMO_SITE, DEMO_VIEWS, hasDemo } from '../data/demo/load-demo';
import { permittedSites } from '../data/storage/sites/list-sites';
import { loadDemoWithProgress } from './demo-command';

/** Loads the demo if no other site exists. A demo site without data is left over from an interrupted start. */
export async function loadDemoIfEmpty(
  { clock, database: { write } }: Pick<HostTools, 'clock' | 'database'>,
  start: Actions['server_started'][0],
): Promise<void> {
  const others = await write
    .from('analytics.site')
    .whereRaw('(tracking_id, domain) <> (?, ?)', [DEMO_SITE, DEMO_DOMAIN])
    .first('site_id');
  if (others !== undefined || (await hasDemo(write))) return;
  start.err(`Loading the demo site "${DEMO_SITE}".\n`);
  await loadDemoWithProgress(write, {
    ...start,
    clock,
    views: DEMO_VIEWS,
    whenStopped: 'Stopped; the demo site will be loaded the next time the server starts.',
  });
}

type Welcome = Filters['welcome_lines'];

/** A command to copy and paste, which shows the top pages of the default site or, without a default, of the first one. */
export async function welcomeLines(
  { host, settings, contracts }: Pick<Analytics, 'host' | 'settings' | 'contracts'>,
  { login, secret, restRoot }: Welcome['context'],
): Promise<Welcome['value']> {
  const [site] = await permittedSites(host.database.read, 'all');
  if (site === undefined) return [];
  const body = JSON.stringify(topPagesQuery({ ...site, days: 30, now: host.clock(), counts: true }));
  return [
    'Query the top pages of the last 30 days:',
    '',
    `curl -s -u '${login}:${secret}' -H 'Content-Type: application/json' -d '${body}' '${restRoot}${settings.namespace}/query?version=${contracts.at(-1)?.version}'`,
  ];
}
