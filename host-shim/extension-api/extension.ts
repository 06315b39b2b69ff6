import type { Knex } from 'knex';
import type { Queryable } from '../../db/connection-pool';
import type { BackupQuestion } from '../../db/migrate';
import type { ReadPool } from '../../db/read-pool';
import type { Replicas } from '../../db/replicas';
import type { CommandDefinition, CommandUsage } from './commands';
import type { HealthCheck } from './health';
import type { ActionCallback, Actions, FilterCallback, Filters } from './hooks';
import type { Messages } from './messages';
import type { SettingTable, SettingValues } from './settings';
import type { Telemetry } from './telemetry';
import type { HostUser } from './users';

export const DAY_MS = 86_400_000;

/** Returns the current time. It is passed in so that tests can set it. */
export type Clock = () => Date;

/** Structured log; the order of the arguments is pino's. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The database rejects writes on `read`. */
export interface HostDatabase {
  readonly read: ReadPool;
  readonly write: Knex;
  /** Servers that may lag behind, for reads that can check whether a server's data is recent enough. */
  readonly replicas?: Replicas | undefined;
}

export interface HostTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly database: HostDatabase;
  readonly telemetry: Telemetry;
  /** The folder for this installation's files. An extension may create its own folder in it. */
  readonly dataDir: string;
}

/** Lines that are stored outside the database, in `dataDir` and next to the backups, so that restoring an old backup loses none. */
export interface Ledger {
  /** Returns the distinct lines that `isWanted` accepts (default: all) from all readable copies, and the read errors. */
  read(
    isWanted?: (line: string) => boolean,
  ): Promise<{ readonly lines: readonly string[]; readonly faults: readonly Error[] }>;
  /** Adds to each copy the lines that it lacks. Returns the write errors: the backup disk may not be mounted. */
  add(lines: readonly string[]): Promise<readonly Error[]>;
}

/** Finds and erases the host's records of callers with certain addresses. Call both functions in your own transaction. */
export interface CallerRecords {
  find(client: Queryable, addresses: readonly string[]): Promise<readonly object[]>;
  erase(client: Queryable, addresses: readonly string[]): Promise<void>;
}

export interface Accounts {
  /** The account with its current rights; undefined if it was deleted or disabled. */
  find(write: Knex, id: number): Promise<HostUser | undefined>;
  /**
   * False if the account was deleted. Otherwise, prevents deletion until the transaction ends. Call it before storing data for
   * the account.
   */
  hold(transaction: Knex, id: number): Promise<boolean>;
}

/** Passed to `prepare` and, as part of Host, to `register`. */
export interface PreparedHost extends HostTools {
  /** Opens a ledger that the extension's `storage` lists. */
  openLedger(name: string): Ledger;
  readonly callerRecords: CallerRecords;
}

/** Passed to `register`. Callbacks with a lower `priority` (default 10) run first. */
export interface Host extends PreparedHost {
  addAction<Name extends keyof Actions>(name: Name, callback: ActionCallback<Name>, priority?: number): void;
  addFilter<Name extends keyof Filters>(name: Name, callback: FilterCallback<Name>, priority?: number): void;
  registerCommand(definition: CommandDefinition): void;
  /** The host's checks come first, then the extensions', in order of registration. */
  registerHealthCheck(check: HealthCheck): void;
  /**
   * Removes all access to a site. Call it in the transaction that deletes the site: a new site may have the same id. Returns a
   * function that notifies the extensions of the revoked application passwords; call it after the commit.
   */
  withdrawSite(client: Queryable, trackingId: string): Promise<() => Promise<void>>;
  readonly accounts: Accounts;
  readonly messages: Messages;
  /** Scheme, host and port of this installation, for absolute links. Undefined unless QAL_PUBLIC_URL is set. */
  readonly publicUrl?: string | undefined;
}

/** The extension's schema, and the folder with its SQL files. Each file is applied once, in name order. */
export interface ExtensionStorage {
  readonly schema: string;
  readonly migrations: string;
  /** A backup contains the answers to these questions, and a rehearsal compares them with those of the restored database. */
  readonly questions?: readonly BackupQuestion[];
  /** File names of ledgers, which a restore copies from the backup's folder. */
  readonly ledgers?: readonly string[];
}

/** Incremented when a change breaks extensions written for an earlier version. */
export const HOST_API = 1;

export interface Extension {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly requires: {
    readonly hostApi: number;
    /** Extensions that must be active before this one. */
    readonly extensions?: readonly string[];
  };
  /** If a required extension cannot run, the first start fails; later starts report the problem and continue. */
  readonly required?: boolean;
  /** Declared up front, so that help needs no database. */
  readonly commands: readonly CommandUsage[];
  readonly storage?: ExtensionStorage;
  /** Descriptions of command groups, by the first word of their commands. */
  readonly commandGroups?: Readonly<Record<string, string>>;
  /** Called once per process, before the first request, even if the extension is inactive. If it throws, the process ends. */
  prepare?(host: PreparedHost): Promise<void>;
  /** Called before the first registration, and when the extension is turned on again. */
  activate?(tools: HostTools): Promise<void>;
  /** Called after the extension has been turned off. Its settings are kept. */
  deactivate?(tools: HostTools): Promise<void>;
  /** Deletes the extension's settings, but no collected data. */
  uninstall?(tools: HostTools): Promise<void>;
  /** Called at every start while the extension is active. Throws if it cannot work: a SettingError for an invalid setting. */
  register(host: Host): Promise<void>;
}

/** The host reads the settings and passes their values to `create`. */
export interface ExtensionFactory<Table extends SettingTable = SettingTable> {
  readonly settings: Table;
  create(values: SettingValues<Table>): Extension;
}
