// An extension, and the host as it sees it.
import type { Knex } from 'knex';
import type { Queryable } from '../../db/connection-pool';
import type { ReadPool } from '../../db/read-pool';
import type { Replicas } from '../../db/replicas';
import type { CommandDefinition, CommandUsage } from './commands';
import type { HealthCheck } from './health';
import type { ActionCallback, Actions, FilterCallback, Filters } from './hooks';
import type { SettingTable, SettingValues } from './settings';
import type { Telemetry } from './telemetry';

/** The present instant. Passed in, so that tests can stop it. */
export type Clock = () => Date;

/** Structured log: fields first, then a sentence (pino's order). */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** `read` can only read: the database enforces it. `write` can do everything. */
export interface HostDatabase {
  readonly read: ReadPool;
  readonly write: Knex;
  /** Servers that may be behind, for reads that can tell whether one has what they need. */
  readonly replicas?: Replicas | undefined;
}

/** What an extension may use at any time. */
export interface HostTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly database: HostDatabase;
  readonly telemetry: Telemetry;
  /** The folder of this installation's files. An extension may have its own folder there. */
  readonly dataDir: string;
}

/** What an extension gets while it is registered. Callbacks with a lower `priority` (default 10) come first. */
export interface Host extends HostTools {
  addAction<Name extends keyof Actions>(name: Name, callback: ActionCallback<Name>, priority?: number): void;
  addFilter<Name extends keyof Filters>(name: Name, callback: FilterCallback<Name>, priority?: number): void;
  registerCommand(definition: CommandDefinition): void;
  /** Checks are shown in the order of their registration, after those of the host. */
  registerHealthCheck(check: HealthCheck): void;
  /**
   * Call it in the transaction in which a site goes: it withdraws what users, keys and links were granted of it, so that a later
   * site of this name is closed to them.
   */
  withdrawSite(client: Queryable, trackingId: string): Promise<void>;
}

/** A schema of the extension's own, and the folder of its SQL files: each is applied once, in the order of their names. */
export interface ExtensionStorage {
  readonly schema: string;
  readonly migrations: string;
}

/** Grows when extensions written for the host until then stop working. */
export const HOST_API = 1;

export interface Extension {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly requires: {
    /** The HOST_API it was written for. */
    readonly hostApi: number;
    /** Names of extensions that must be active before it. */
    readonly extensions?: readonly string[];
  };
  /** The first start fails without it. Later starts report that it is missing and go on. */
  readonly required?: boolean;
  /** The commands it will register, known beforehand so that help needs no database. */
  readonly commands: readonly CommandUsage[];
  /** Its own tables. `database.read` reads them. */
  readonly storage?: ExtensionStorage;
  /** First word of the commands with two -> what the group is about. */
  readonly commandGroups?: Readonly<Record<string, string>>;
  /** Before its first registration, and whenever it is turned on again. */
  activate?(tools: HostTools): Promise<void>;
  /** After it was turned off and is out of reach. Its settings stay. */
  deactivate?(tools: HostTools): Promise<void>;
  /** Removes its own settings. Measured data stay. */
  uninstall?(tools: HostTools): Promise<void>;
  /** At every start while it is active. Throws when it cannot work here: a SettingError for a wrong setting. */
  register(host: Host): Promise<void>;
}

/** An extension as the program lists it: the host reads the settings and creates the extension from their values. */
export interface ExtensionFactory<Table extends SettingTable = SettingTable> {
  readonly settings: Table;
  create(values: SettingValues<Table>): Extension;
}
