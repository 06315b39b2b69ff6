import { dump } from 'js-yaml';
import type { ClientBase } from 'pg';
import { goalsOf } from '../goals/list-goals';
import { readChannelRules } from './channel-rules';
import { readImportRules } from './import-rules';
import { findSite } from './list-sites';
import { fieldsOf } from './save-site';
import type { SiteEntry } from './site-file';

/** Reads a site as an entry for a sites file; undefined if it does not exist. */
export async function readSiteEntry(
  client: ClientBase,
  trackingId: string,
): Promise<{ readonly siteId: number; readonly site: SiteEntry } | undefined> {
  const stored = await findSite(client, trackingId);
  if (stored === undefined) return undefined;
  const { siteId } = stored;
  const goals = await goalsOf(client, siteId);
  const rules = await readImportRules(client, siteId);
  const channels = await readChannelRules(client, siteId);
  const site = {
    ...fieldsOf(stored),
    ...(rules && { import: rules }),
    ...(channels && { channels }),
    goals,
  };
  return { siteId, site };
}

export const siteYaml = (sites: readonly SiteEntry[]): string =>
  dump({ sites }, { lineWidth: -1, noRefs: true });
