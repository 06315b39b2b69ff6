import type { Knex } from 'knex';
import { installedContracts } from '../../extension/api/contracts/choose-contract';
import { setSwitch } from '../../extension/api/features/feature-switches';
import { showValue } from '../../extension/data/import/import-error';
import { importRows } from '../../extension/data/import/import-rows';
import type { RejectedRow } from '../../extension/data/import/rejected-rows';
import { applySites } from '../../extension/data/storage/sites/apply-sites';
import type { Clock } from '../../host-shim/extension-api';
import { loadManifest } from '../../manifests/reader/manifest';

export interface TestSite {
  readonly tracking_id: string;
  readonly domain: string;
  readonly name: string;
  /** The full name of a time zone, such as Asia/Tokyo. */
  readonly timezone: string;
  readonly default?: boolean;
  readonly goals?: readonly {
    readonly id: number;
    readonly name: string;
    readonly type: string;
    readonly condition: string | number | object;
  }[];
}

/** The number of rows for each import outcome. */
export interface TestImportReport {
  readonly read: number;
  readonly added: number;
  /** Existing rows that had different values. */
  readonly updated: number;
  /** Existing rows with the same values. */
  readonly unchanged: number;
  /** Clicks and events whose page view has not been imported yet. */
  readonly waiting: number;
}

export async function applyTestSites(write: Knex, sites: readonly TestSite[]): Promise<void> {
  if (sites.length > 0) await applySites(write, { sites });
}

export async function refuseUnknownSites(write: Knex, wanted: readonly string[]): Promise<void> {
  if (wanted.length === 0) return;
  const known = await write('analytics.site').orderBy('tracking_id').pluck<string[]>('tracking_id');
  const unknown = wanted.find((site) => !known.includes(site));
  if (unknown === undefined) return;
  const available = known.length === 0 ? 'no sites' : `the sites ${known.join(', ')}`;
  throw new Error(`There is no site ${unknown}: this test host has ${available} (see the option "sites").`);
}

/** Switches features on or off, as `qal features set` does. */
export async function setFeatures(
  write: Knex,
  features: Readonly<Record<string, boolean>>,
  clock: Clock,
): Promise<void> {
  const wanted = Object.entries(features);
  if (wanted.length === 0) return;
  const known = new Set(
    installedContracts(loadManifest()).flatMap(({ rules }) => [...rules.features.keys()]),
  );
  for (const [feature, enabled] of wanted) {
    if (!known.has(feature))
      throw new Error(`There is no feature ${feature}. Features: ${[...known].join(', ')}.`);
    await setSwitch(write, { feature, enabled, changedAt: clock() });
  }
}

/** Imports all rows, or none if one is rejected. */
export async function importTestRows(
  write: Knex,
  what: {
    readonly material: string;
    readonly site: string;
    readonly rows: Iterable<object>;
    readonly clock: Clock;
  },
): Promise<TestImportReport> {
  await refuseUnknownSites(write, [what.site]);
  const rejected: RejectedRow[] = [];
  const { read, added, updated, unchanged, waiting } = await importRows(write, loadManifest(), {
    ...what,
    onError: 'skip',
    onRejected: (row) => void rejected.push(row),
    async alsoWrite() {
      if (rejected.length > 0) throw rejection(what.material, rejected);
    },
  });
  return { read, added, updated, unchanged, waiting };
}

const MAX_LISTED = 20;

function rejection(material: string, rejected: readonly RejectedRow[]): Error {
  const inOrder = [...rejected].sort((one, other) => one.line - other.line);
  const listed = inOrder.slice(0, MAX_LISTED).map(({ line, column, value, reason }) => {
    const place = column === null ? '' : `, column ${column}, value ${showValue(value)}`;
    return `  row ${line}${place}: ${reason}`;
  });
  const more = rejected.length - listed.length;
  return new Error(
    [
      `Nothing was imported: ${rejected.length} of the ${material} rows failed validation (rows are numbered from 1).`,
      ...listed,
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join('\n'),
  );
}
