// Hooks: actions notify extensions of events; filters ask them for values.
import type { Knex } from 'knex';
import type { OpenProgress } from './commands';
import type { AdminPage } from './pages';
import type { NamespaceDefinition } from './routes';
import type { HostUser, KeyLevel, KnownSite } from './users';

/** A command or configuration to copy once an application password has been created. */
export interface UsageExample {
  readonly title: string;
  readonly about: string;
  readonly text: string;
}

export interface KeyLevelUse {
  readonly level: KeyLevel;
  /** Default: the host's name for the level. */
  readonly title?: string;
  /** Follows the title: "read the data of the sites that it has access to". */
  readonly about: string;
  /** The actions that this level allows in addition to reading. */
  readonly also?: string;
}

/** The arguments of each action's callbacks. */
export interface Actions {
  rest_api_init: [rest: { registerNamespace(definition: NamespaceDefinition): void }];
  admin_menu: [menu: { registerPage(page: AdminPage): void }];
  application_password_created: [event: { readonly userId: number; readonly uuid: string }];
  application_password_revoked: [event: { readonly userId: number; readonly uuids: readonly string[] }];
  /** Called in the transaction `write` that deletes the account. Delete the account's data, or pass it to `heir`. */
  user_deleted: [
    event: {
      readonly userId: number;
      readonly heir: { readonly id: number; readonly login: string } | null;
      readonly write: Knex;
    },
  ];
  user_logged_in: [event: { readonly userId: number }];
  /** The server is listening but has not printed its welcome message yet. A JobFailed stops the server. */
  server_started: [
    start: {
      readonly signal: AbortSignal;
      err(text: string): void;
      readonly openProgress: OpenProgress;
    },
  ];
  /** The welcome message has been printed: background work may now show its progress. Sent only in an interactive terminal. */
  server_ready: [ready: { readonly openProgress: OpenProgress }];
  /** Sent every minute by each server, unless the previous call is still running. Stop when the signal is aborted. */
  minute: [run: { readonly signal: AbortSignal }];
  /** The server no longer accepts requests, and is about to close its database. */
  server_stopped: [];
  /** Wait for work that continues after a response. Called when the server stops, and by tests. */
  settle: [];
}

/** For each filter, the value that is passed through all callbacks, and its context. */
export interface Filters {
  known_sites: { readonly value: readonly KnownSite[]; readonly context: undefined };
  /** Shown next to a new application password. `secret` is written in groups of four characters, as users see it. */
  application_password_examples: {
    readonly value: readonly UsageExample[];
    readonly context: {
      readonly login: string;
      readonly secret: string;
      /** Ends with a slash. */
      readonly restRoot: string;
      /** The sites that the application password may read. Do not mention any others. */
      readonly sites: HostUser['sites'];
    };
  };
  /** The levels that an extension supports, and what each of them allows. */
  application_password_levels: { readonly value: readonly KeyLevelUse[]; readonly context: undefined };
  /** Printed once the server is ready. `secret` is an application password or a placeholder. */
  welcome_lines: {
    readonly value: readonly string[];
    /** `restRoot` ends with a slash. */
    readonly context: { readonly login: string; readonly secret: string; readonly restRoot: string };
  };
  /** The expected growth of the data on DATA_DIR's disk, in bytes per day; null if unknown. */
  daily_growth: { readonly value: number | null; readonly context: { readonly isDatabaseHere: boolean } };
  system_sections: { readonly value: readonly SystemSection[]; readonly context: undefined };
}

export interface SystemSection {
  readonly title: string;
  readonly lines: readonly (readonly [title: string, text: string])[];
}

export type ActionCallback<Name extends keyof Actions> = (...event: Actions[Name]) => void | Promise<void>;

export type FilterCallback<Name extends keyof Filters> = (
  value: Filters[Name]['value'],
  context: Filters[Name]['context'],
) => Filters[Name]['value'] | Promise<Filters[Name]['value']>;
