// Removing rows, undoing an import and retention wait for a piece of a followed log, which briefly holds the site's lock.
import type { Knex } from 'knex';
import { importRows } from '../../../extension/data/import/import-rows';
import { removeOldVisits } from '../../../extension/data/removal/old-visits';
import { removeData } from '../../../extension/data/removal/remove-data';
import { undoImport } from '../../../extension/data/removal/undo-import';
import { LOCKS } from '../../../extension/data/storage/advisory-locks';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { createMemoryLog } from '../../support/memory-log';
import { removalHost } from '../../support/removal-host';
import { until } from '../../support/until';
import { useTestDatabase } from '../../support/use-database';
import { countViews, manifest } from '../import/import-setup';

const database = useTestDatabase();
const clock = () => new Date('2026-05-20T12:00:00Z');

const retain = () =>
  removeOldVisits(
    { write: database.write, manifest, log: createMemoryLog().log, clock },
    new AbortController().signal,
  );

const CHANGES: Readonly<Record<string, (site: string, importId: number) => Promise<unknown>>> = {
  'removing days': (trackingId) =>
    removeData(
      { host: removalHost(database, clock), manifest, trackingId, login: 'ann' },
      { kind: 'days', from: '2026-05-01', to: '2026-05-01' },
    ),
  'undoing an import': (_site, importId) =>
    undoImport({ write: database.write, manifest, importId, login: 'ann', clock }),
  retention: retain,
};

/** Starts the change on a site with an old page view, runs `meanwhile` while the change waits for the site's lock, and returns its outcome. */
async function changeLocked(
  site: string,
  change: (site: string, importId: number) => Promise<unknown>,
  meanwhile: (locked: Knex.Transaction) => Promise<unknown> = async () => undefined,
): Promise<unknown> {
  const settings = {
    tracking_id: site,
    domain: 'x.example',
    name: site,
    timezone: 'UTC',
    retention_days: 10,
  };
  await applySites(database.write, { sites: [settings] });
  const rows = [{ url: 'https://x.example/', access_time: '2026-05-01T12:00:00Z' }];
  const { importId = 0 } = await importRows(database.write, manifest, { material: 'allpv', site, rows });
  let outcome: unknown;
  const settle = (value: unknown) => {
    outcome = value;
  };
  await database.write.transaction(async (piece) => {
    await piece.raw('SELECT pg_advisory_xact_lock(?, site_id) FROM analytics.site WHERE tracking_id = ?', [
      LOCKS.site,
      site,
    ]);
    change(site, importId).then(() => settle('done'), settle);
    await until(async () => {
      const { rows: waiting } = await piece.raw(
        'SELECT FROM pg_locks JOIN analytics.site ON objid = site_id WHERE classid = ? AND tracking_id = ? AND NOT granted',
        [LOCKS.site, site],
      );
      return waiting.length > 0 || outcome !== undefined;
    });
    expect(outcome).toBeUndefined();
    await meanwhile(piece);
  });
  await until(() => outcome !== undefined);
  return outcome;
}

test.each(Object.entries(CHANGES))('%s waits for a piece of a followed log', async (name, change) => {
  const site = name.replaceAll(' ', '_');
  const outcome = await changeLocked(site, change);
  expect([outcome, await countViews(database.write, site)]).toEqual(['done', 0]);
});

test('retention removes nothing if the retention period changes while it waits', async () => {
  const outcome = await changeLocked('longer', retain, (form) =>
    form.raw("UPDATE analytics.site SET retention_days = NULL WHERE tracking_id = 'longer'"),
  );
  expect([outcome, await countViews(database.write, 'longer')]).toEqual(['done', 1]);
});
