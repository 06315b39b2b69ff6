// A database with the sites and rows in data/, and a context for queries on it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { Knex } from 'knex';
import { z } from 'zod';
import { installedContracts } from '../../extension/api/contracts/choose-contract';
import { importRows } from '../../extension/data/import/import-rows';
import { applySites } from '../../extension/data/storage/sites/apply-sites';
import { usableZones } from '../../extension/language/time/zones';
import { NO_QUEUE, type QueryContext } from '../../extension/query/query-context';
import { loadManifest } from '../../manifests/reader/manifest';
import { openTestColumns, type TestColumns } from '../support/columns';
import type { TestDatabase } from '../support/database';
import { testStore } from '../support/run-whole';
import type { Filling } from '../support/test-server';
import { useTestDatabase } from '../support/use-database';
import { rethrow } from './understood';

const row = z.record(z.string(), z.unknown());
const sitesSchema = z.strictObject({ sites: z.array(row), allpv: z.record(z.string(), z.array(row)) });
const rowsSchema = z.array(z.strictObject({ material: z.string(), site: z.string(), rows: z.array(row) }));

export const manifest = loadManifest();

/** The sites that each user in the case files may see. */
export const USERS = { administrator: 'all', analyst: ['shop'], nobody: [] } as const;

/** The sites and rows in data/. */
export const CASE_DATA: Filling = { name: 'cases', fill: loadCaseData };

export function useCaseDatabase({ withColumns = false } = {}): {
  readonly database: TestDatabase;
  readonly context: QueryContext;
} {
  const database = useTestDatabase(CASE_DATA);
  let columns: TestColumns | undefined;
  let context: QueryContext | undefined;
  beforeAll(async () => {
    if (withColumns) columns = await openTestColumns(database, { isCounted: true });
    context = await createContext(database, { columns });
  });
  afterAll(() => columns?.stop());
  return {
    database,
    get context() {
      if (context === undefined) throw new Error('The context is created in beforeAll().');
      return context;
    },
  };
}

export async function loadCaseData(write: Knex): Promise<void> {
  const { sites, allpv } = sitesSchema.parse(readData('sites.yaml'));
  await applySites(write, { sites });
  for (const [site, rows] of Object.entries(allpv)) {
    await importRows(write, manifest, { material: 'allpv', site, rows });
  }
  for (const { material, site, rows } of rowsSchema.parse(readData('other-materials.yaml'))) {
    await importRows(write, manifest, { material, site, rows });
  }
}

const readData = (file: string): unknown => load(readFileSync(join(__dirname, 'data', file), 'utf8'));

let zones: ReadonlySet<string> | undefined;

/** A context for the newest contract. */
export async function createContext(
  database: Pick<TestDatabase, 'read' | 'write'>,
  changes: Partial<QueryContext> = {},
): Promise<QueryContext> {
  const contract = installedContracts(manifest).at(-1);
  if (contract === undefined) throw new Error('No contract is installed.');
  // Cached, because PostgreSQL reads a file for each zone.
  zones ??= usableZones(await database.write.from('pg_timezone_names').pluck<string[]>('name'));
  const { rows } = await database.write.raw('SELECT analytics.is_divided() AS yes');
  return {
    contract,
    manifest,
    sites: 'all',
    database: database.read,
    isDivided: rows[0].yes,
    zones,
    timeoutSeconds: 60,
    queue: NO_QUEUE,
    signal: new AbortController().signal,
    alwaysCount: false,
    onHintFailure: rethrow,
    store: testStore(),
    maxAnswerBytes: Number.POSITIVE_INFINITY,
    ...changes,
  };
}
