// Reads every table of a database in the form that the interpreter needs.
import type { Knex } from 'knex';
import type { Tables } from './reading/tables';

const INSTANTS = new Set(['at', 'view_at']);

const withSeconds = (row: object): object =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, INSTANTS.has(name) ? Date.parse(value) / 1000 : value]),
  );

export async function readTables(write: Knex): Promise<Tables> {
  const of = async (table: keyof Tables): Promise<ReturnType<typeof JSON.parse>> => {
    // In JSON, datetimes have an offset, and days are strings.
    const { rows } = await write.raw('SELECT to_jsonb(t) AS stored FROM analytics.?? AS t', [table]);
    return rows.map(({ stored }: { stored: object }) => withSeconds(stored));
  };
  return {
    site: await of('site'),
    page: await of('page'),
    source: await of('source'),
    medium: await of('medium'),
    campaign: await of('campaign'),
    content: await of('content'),
    location: await of('location'),
    selector: await of('selector'),
    keyword: await of('keyword'),
    reader: await of('reader'),
    event_name: await of('event_name'),
    os: await of('os'),
    browser: await of('browser'),
    language: await of('language'),
    country: await of('country'),
    page_view: await of('page_view'),
    click: await of('click'),
    event: await of('event'),
    search_day: await of('search_day'),
    page_version: await of('page_version'),
    goal: await of('goal'),
    conversion: await of('conversion'),
    channel_rules: await of('channel_rules'),
    ga4_age_gender: await of('ga4_age_gender'),
    ga4_country: await of('ga4_country'),
    ga4_region: await of('ga4_region'),
  };
}
