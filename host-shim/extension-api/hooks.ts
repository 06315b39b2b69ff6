// Hooks: actions tell extensions what happens, filters ask them for something.
import type { OpenProgress } from './commands';
import type { AdminPage } from './pages';
import type { NamespaceDefinition } from './routes';
import type { HostUser, KeyLevel, KnownSite } from './users';

/** Something to copy after an application password was created: a command, a configuration. */
export interface UsageExample {
  readonly title: string;
  readonly about: string;
  readonly text: string;
}

/** A level of application passwords, as people are offered it. */
export interface KeyLevelUse {
  readonly level: KeyLevel;
  /** In forms; by default the host's name of the level. */
  readonly title?: string;
  /** What it may do, to follow its title: "import data into the sites that it sees". */
  readonly about: string;
  /** What it adds to reading. */
  readonly also?: string;
}

/** What happens in the host: name -> the arguments of a callback. */
export interface Actions {
  /** Register routes now. */
  rest_api_init: [rest: { registerNamespace(definition: NamespaceDefinition): void }];
  /** Register pages now. */
  admin_menu: [menu: { registerPage(page: AdminPage): void }];
  application_password_created: [event: { readonly userId: number; readonly uuid: string }];
  application_password_revoked: [event: { readonly userId: number; readonly uuids: readonly string[] }];
  user_logged_in: [event: { readonly userId: number }];
  /** The server listens and has not greeted anybody yet. A JobFailed stops it. */
  server_started: [
    start: {
      /** Aborted when the server is asked to stop. */
      readonly signal: AbortSignal;
      err(text: string): void;
      readonly openProgress: OpenProgress;
    },
  ];
  /** The server has greeted: work that goes on in the background may show from now on how far it is, on a terminal. */
  server_ready: [ready: { readonly openProgress: OpenProgress }];
  /** The server takes no more requests, and closes its database next. */
  server_stopped: [];
  /** Finish the work that goes on after answers were sent: the server stops, or a test wants to look. */
  settle: [];
}

/** What the host asks extensions: name -> the value that each callback passes on, and the context it gets. */
export interface Filters {
  /** All sites. */
  known_sites: { readonly value: readonly KnownSite[]; readonly context: undefined };
  /** Shown beside a new application password. `secret` is in groups of four, as people see it. */
  application_password_examples: {
    readonly value: readonly UsageExample[];
    readonly context: {
      readonly login: string;
      readonly secret: string;
      readonly restRoot: string;
      /** The sites the application password may read. Name no others. */
      readonly sites: HostUser['sites'];
    };
  };
  /** The rights that some application passwords have, where an extension gives them a use: what they let a program do. */
  application_password_levels: { readonly value: readonly KeyLevelUse[]; readonly context: undefined };
  /** Printed once the server is ready. `secret` is an application password, or a placeholder for one. */
  welcome_lines: {
    readonly value: readonly string[];
    /** `restRoot` ends with a slash. */
    readonly context: { readonly login: string; readonly secret: string; readonly restRoot: string };
  };
  /** Sections of the page "System". */
  system_sections: { readonly value: readonly SystemSection[]; readonly context: undefined };
}

/** Title and text of each line. */
export interface SystemSection {
  readonly title: string;
  readonly lines: readonly (readonly [title: string, text: string])[];
}

export type ActionCallback<Name extends keyof Actions> = (...event: Actions[Name]) => void | Promise<void>;

export type FilterCallback<Name extends keyof Filters> = (
  value: Filters[Name]['value'],
  context: Filters[Name]['context'],
) => Filters[Name]['value'] | Promise<Filters[Name]['value']>;
