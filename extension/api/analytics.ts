// The state that routes, pages and commands share. It is rebuilt each time the extension is registered.
import { join } from 'node:path';
import {
  type Host,
  type HostUser,
  type PreparedHost,
  programVersion,
  SettingError,
} from '../../host-shim/extension-api';
import { type LoadedManifest, loadManifest, type Manifest } from '../../manifests/reader/manifest';
import { createKnownPlaces, type KnownPlaces } from '../data/import/derive/known-places';
import { createImportQueue, type ImportQueue } from '../data/import/import-queue';
import { createUploadSpool, type UploadSpool } from '../data/import/upload-spool';
import { differencesFolder } from '../data/removal/visitor-files';
import { watchWorkers } from '../data/storage/in-transaction';
import { createWorkers, type Workers, type WorkerWatcher } from '../data/storage/workers';
import { usableZones } from '../language/time/zones';
import type { RowStore } from '../language/types/query-result';
import type { HintFailures } from '../language/types/repair';
import type { Columns } from '../query/columns/columns';
import { createQueryQueue, type QueryQueue } from '../query/query-queue';
import { createQueryRecords, type QueryRecords } from '../query/query-records/query-records';
import { createRowStore } from '../query/result-cache/kept-rows';
import { createResultCache, type HeldResult, type ResultCache } from '../query/result-cache/result-cache';
import { createShadow, type Shadow } from '../query/shadow';
import { chooseContract, installedContracts } from './contracts/choose-contract';
import type { InstalledContract } from './contracts/contract';
import { withSwitches } from './contracts/with-switches';
import { switchedOff } from './features/feature-switches';
import { TURNED_AWAY } from './metrics';
import type { AnalyticsSettings } from './settings';

export interface Analytics {
  readonly host: PreparedHost & Pick<Host, 'accounts' | 'messages' | 'publicUrl' | 'withdrawSite'>;
  readonly settings: AnalyticsSettings;
  /** The part of the manifest that every user may see; `manifestFor` returns a user's manifest. */
  readonly manifest: LoadedManifest;
  /** Oldest first, without the feature switches; `asSwitched` applies them. */
  readonly contracts: readonly InstalledContract[];
  /** Reads the names of the time zones on first use, because PostgreSQL reads a file for each zone. */
  zones(): Promise<ReadonlySet<string>>;
  /** Whether rows are distributed over several machines by site. */
  readonly isDivided: boolean;
  readonly workers: Workers;
  readonly version: string;
  readonly records: QueryRecords;
  /** Undefined in commands, and while the columnar copy is switched off. */
  readonly columns: () => Columns | undefined;
  readonly imports: ImportQueue;
  readonly uploads: UploadSpool;
  readonly places: KnownPlaces;
  readonly results: ResultCache;
  readonly store: RowStore;
  readonly queue: QueryQueue<HeldResult>;
  readonly shadow: Shadow;
}

const BYTES_PER_MB = 2 ** 20;
const QUERY_PATIENCE_MS = 30_000;
const DEFAULT_QUERIES_AT_ONCE = 4;

/** Throws a SettingError for settings that conflict with the manifests or the database. */
export async function loadAnalytics(
  host: Analytics['host'],
  settings: AnalyticsSettings,
  columns: Analytics['columns'] = () => undefined,
  watcher: Pick<WorkerWatcher, 'look' | 'workers'> = createWorkers(),
): Promise<Analytics> {
  const manifest = loadManifest();
  const contracts = installedContracts(manifest);
  checkDefaultVersion(contracts, settings.defaultVersion);
  const [storage] = await host.database.read.query<{ isDivided: boolean }>({
    text: 'SELECT analytics.is_divided() AS "isDivided"',
  });
  const isDivided = storage?.isDivided === true;
  watchWorkers(host.database.write, watcher.workers);
  if (isDivided) await watcher.look({ read: host.database.read, log: host.log });
  const queue = createQueryQueue<HeldResult>({
    atOnce: queriesAtOnce(settings, host.database.read.size),
    perUser: settings.queriesPerUser,
    waiting: settings.queriesWaiting,
    timeoutMs: QUERY_PATIENCE_MS,
    random: Math.random,
    onRefused: () => host.telemetry.count(TURNED_AWAY, {}),
  });
  return {
    host,
    settings,
    manifest,
    contracts,
    zones: zonesOf(host.database),
    isDivided,
    workers: watcher.workers,
    version: programVersion(),
    columns,
    records: createQueryRecords({
      write: host.database.write,
      log: host.log,
      days: settings.queryRecordDays,
      maxRecords: settings.queryRecordsMax,
      withValues: settings.queryRecordValues,
    }),
    imports: createImportQueue(),
    uploads: createUploadSpool({
      folder: join(host.dataDir, 'uploads'),
      maxBytes: settings.spoolMb * BYTES_PER_MB,
    }),
    places: createKnownPlaces({ dataDir: host.dataDir, geoip: settings.geoip }),
    results: createResultCache(settings.resultCacheMb * BYTES_PER_MB),
    store: createRowStore({ folder: join(host.dataDir, 'answers') }),
    queue,
    shadow: createShadow({
      oneIn: settings.columnsShadow,
      folder: differencesFolder(host.dataDir),
      queue,
      columns,
      clock: host.clock,
      log: host.log,
    }),
  };
}

function zonesOf({ read }: Pick<Host['database'], 'read'>): Analytics['zones'] {
  let known: Promise<ReadonlySet<string>> | undefined;
  const readZones = async () => {
    const zones = await read.query<{ name: string }>({ text: 'SELECT name FROM pg_timezone_names' });
    return usableZones(zones.map(({ name }) => name));
  };
  return () => {
    known ??= readZones().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

/** The manifest that a user may see. Restricted keys do not see materials reserved for administrators. */
export const manifestFor = ({ manifest }: Pick<Analytics, 'manifest'>, user: HostUser | null): Manifest =>
  user?.role === 'administrator' && user.key?.restricted !== true ? manifest.forAdministrators : manifest;

export const asSwitched = async (
  { host }: Pick<Analytics, 'host'>,
  contract: InstalledContract,
): Promise<InstalledContract> => withSwitches(contract, await switchedOff(host.database.read));

/** All contracts with the current feature switches, oldest first. */
export async function currentContracts({
  host,
  contracts,
}: Pick<Analytics, 'host' | 'contracts'>): Promise<readonly InstalledContract[]> {
  const off = await switchedOff(host.database.read);
  return contracts.map((contract) => withSwitches(contract, off));
}

/** The requested contract, or the default one, with the current feature switches. Throws the QueryError invalid_version. */
export const contractOf = (
  analytics: Pick<Analytics, 'contracts' | 'host' | 'settings'>,
  requested: string | undefined,
): Promise<InstalledContract> =>
  asSwitched(analytics, chooseContract(analytics.contracts, requested, analytics.settings.defaultVersion));

/** Keeps one connection free for quick statements. */
function queriesAtOnce({ queriesAtOnce: wanted }: AnalyticsSettings, connections: number): number {
  const max = connections - 1;
  if (wanted !== undefined && wanted > max)
    throw new SettingError(
      `QAL_QUERIES_AT_ONCE must be less than DB_POOL_MAX (${connections}), but is ${wanted}. Raise DB_POOL_MAX, or set QAL_QUERIES_AT_ONCE to ${max} or less.`,
    );
  return wanted ?? Math.min(DEFAULT_QUERIES_AT_ONCE, max);
}

function checkDefaultVersion(contracts: readonly InstalledContract[], wanted: string): void {
  try {
    chooseContract(contracts, undefined, wanted);
  } catch (cause) {
    const available = ['latest', 'oldest', ...contracts.map(({ version }) => version)].join(', ');
    throw new SettingError(`QAL_DEFAULT_VERSION must be one of ${available}; "${wanted}" is not.`, { cause });
  }
}

export const hintFailures = ({ host }: Pick<Analytics, 'host'>): HintFailures => ({
  onHintFailure: (err) => host.log.error({ err }, 'Searching for a hint for an invalid query failed.'),
});
