// Owns a database with the case files' sites, and the context to run queries on it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { Knex } from 'knex';
import { z } from 'zod';
import { importRows } from '../../db/import/import-rows';
import { installedContracts } from '../../extension/contracts/choose-contract';
import { usableZones } from '../../extension/qal/time/zones';
import type { QueryContext } from '../../extension/qal/types/query-context';
import { loadManifest } from '../../manifests/reader/manifest';
import { createTestDatabase, type TestDatabase } from '../support/database';

const sitesSchema = z.strictObject({
  sites: z.array(
    z.strictObject({
      tracking_id: z.string(),
      domain: z.string(),
      name: z.string(),
      timezone: z.string(),
      default: z.boolean().default(false),
    }),
  ),
  allpv: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
});

export const manifest = loadManifest();

/** The sites that each user of the case files may see. */
export const USERS = { administrator: 'all', analyst: ['shop'], nobody: [] } as const;

/** A database with the sites and page views of data/sites.yaml. */
export async function createCaseDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await loadCaseData(database.write);
  return database;
}

/** Writes the sites and page views of data/sites.yaml. */
export async function loadCaseData(write: Knex): Promise<void> {
  const file = load(readFileSync(join(__dirname, 'data', 'sites.yaml'), 'utf8'));
  const { sites, allpv } = sitesSchema.parse(file);
  for (const { default: isDefault, ...site } of sites) {
    await write
      .withSchema('analytics')
      .into('site')
      .insert({ ...site, is_default: isDefault });
  }
  for (const [site, rows] of Object.entries(allpv)) {
    await importRows(write, manifest, { material: 'allpv', site, rows });
  }
}

/** What a query of the head contract is run with. */
export async function createContext(
  database: TestDatabase,
  changes: Partial<QueryContext> = {},
): Promise<QueryContext> {
  const contract = installedContracts(manifest).at(-1);
  if (contract === undefined) throw new Error('No contract is installed.');
  const zones = await database.read.from('pg_timezone_names').pluck<string[]>('name');
  return {
    contract,
    manifest,
    sites: 'all',
    database: database.read,
    zones: usableZones(zones),
    timeoutSeconds: 60,
    signal: new AbortController().signal,
    alwaysCount: false,
    ...changes,
  };
}
