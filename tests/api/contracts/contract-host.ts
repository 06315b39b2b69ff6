// The host for contract tests, with the data from contract-data.ts.
// Usage: const host = await startContractHost(); ... await host.stop();
import type { Knex } from 'knex';
import { installedContracts } from '../../../extension/api/contracts/choose-contract';
import type { Bodies } from '../../../extension/api/contracts/contract';
import { loadManifest } from '../../../manifests/reader/manifest';
import { startFilledHost, type TestHost, type TestHostOptions } from '../../support/test-host';
import { CLOCK, CONTRACT_DATA, siteId } from './contract-data';

export const QUERY = '/wp-json/qa-platform/query';
export const GUIDE = '/wp-json/qa-platform/guide';
export const VERSIONS = ['2025-10-20', '2026-05-11'] as const;
export type Version = (typeof VERSIONS)[number];

/** The schemas of a contract's responses. */
export function bodiesOf(version: Version): Bodies {
  const contract = installedContracts(loadManifest()).find((installed) => installed.version === version);
  if (contract === undefined) throw new Error(`The contract ${version} is not installed.`);
  return contract.format.bodies;
}

const USERS = [
  { login: 'ann', role: 'administrator' },
  { login: 'bob', role: 'analyst', sites: ['shop'] },
  { login: 'nil', role: 'analyst' },
] as const;

/** A query that both contracts accept. */
export const ROWS = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
  make: { rows: { from: ['allpv'], keep: ['allpv.pv_id', 'allpv.url'] } },
  result: { use: 'rows', limit: 2 },
};

/** A real host with `ann`, who sees all sites, `bob`, who sees shop, and `nil`, who sees none. */
export async function startContractHost(options: TestHostOptions = {}): Promise<TestHost> {
  return startFilledHost(CONTRACT_DATA, { users: USERS, clock: CLOCK, ...options });
}

const QUIET = siteId('quiet');

/** Adds `views` views to the site `quiet`, which has none. */
export async function fillQuiet(write: Knex, views: number): Promise<void> {
  const copied = await write('information_schema.columns')
    .where({ table_schema: 'analytics', table_name: 'page_view' })
    .whereNotIn('column_name', ['site_id', 'pv_id'])
    .pluck<string[]>('column_name');
  const names = copied.map(() => '??').join(', ');
  await write.raw(
    `INSERT INTO analytics.page_view (site_id, pv_id, ${names})
     SELECT ${QUIET}, i, ${names} FROM generate_series(1, ?::int) i, analytics.page_view
     WHERE site_id = ${siteId('shop')} AND pv_id = 1`,
    [...copied, ...copied, views],
  );
  await incrementVersion(write);
}

export async function emptyQuiet(write: Knex): Promise<void> {
  await write.raw(`DELETE FROM analytics.page_view WHERE site_id = ${QUIET}`);
  await incrementVersion(write);
}

/** Increments the data version, as any change to a site's rows does. */
const incrementVersion = (write: Knex) =>
  write.raw(`UPDATE analytics.site_version SET data_version = data_version + 1 WHERE site_id = ${QUIET}`);

/** Sends a query under a contract as the given user. */
export const ask = (host: TestHost, version: string, body: object | string, login = 'ann') =>
  host.request('POST', `${QUERY}?version=${version}`, { user: host.credentials(login), body });

/** Requests a contract's guide as the given user. */
export const guideOf = async (host: TestHost, version: string, login = 'ann') =>
  (await host.request('GET', `${GUIDE}?version=${version}`, { user: host.credentials(login) })).body;

/** Blocks all reads of page_view while `act` runs. */
export async function whileLocked<Result>(write: Knex, act: () => Promise<Result>): Promise<Result> {
  return write.transaction(async (transaction) => {
    await transaction.raw('LOCK TABLE analytics.page_view IN ACCESS EXCLUSIVE MODE');
    return act();
  });
}
